/** How RocksDB is set up: caches for reading one key, small memtables, compression of what is old. */
import type { ColumnOptions, OpenOptions } from '@nxtedition/rocksdb/binding.js'
import { COLUMNS, type Column } from '../store.ts'

const MIB = 1024 * 1024

interface ColumnPlan {
  /** Share of the block cache in percent. */
  readonly cachePercent: number
  /**
   * Memtables take up to a quarter of it each and half of it at rest; table files have an eighth, the first level
   * all of it. All columns together rest below 35 MiB.
   */
  readonly memtableBudgetMiB: number
  /** Reads of single keys: hash index in the blocks, filters in memory, a filter on the memtable. */
  readonly pointLookups: boolean
}

const PLAN: Readonly<Record<Column, ColumnPlan>> = {
  meta: { cachePercent: 1, memtableBudgetMiB: 2, pointLookups: true },
  state: { cachePercent: 30, memtableBudgetMiB: 12, pointLookups: true },
  code: { cachePercent: 5, memtableBudgetMiB: 4, pointLookups: true },
  history: { cachePercent: 14, memtableBudgetMiB: 8, pointLookups: false },
  trie: { cachePercent: 30, memtableBudgetMiB: 16, pointLookups: true },
  trie_history: { cachePercent: 4, memtableBudgetMiB: 8, pointLookups: false },
  blocks: { cachePercent: 8, memtableBudgetMiB: 12, pointLookups: false },
  index: { cachePercent: 6, memtableBudgetMiB: 8, pointLookups: false },
  clob_history: { cachePercent: 2, memtableBudgetMiB: 8, pointLookups: false },
}

const columnOptions = (plan: ColumnPlan, cacheBytes: number): ColumnOptions => ({
  // zstd (the only codec compiled in) from the second level down.
  compaction: 'level',
  memtableMemoryBudget: plan.memtableBudgetMiB * MIB,
  cacheSize: Math.max(MIB, Math.floor((cacheBytes * plan.cachePercent) / 100)),
  ...(plan.pointLookups ? { optimize: 'point-lookup' } : { cacheIndexAndFilterBlocks: true }),
})

/** `cacheBytes` is the block cache of all columns together. */
export const openOptions = (cacheBytes: number): OpenOptions => ({
  createIfMissing: true,
  parallelism: 2,
  walCompression: false,
  // The column that RocksDB insists on and this store does not use.
  cacheSize: 0,
  columns: {
    default: { cacheSize: 0 },
    ...Object.fromEntries(COLUMNS.map((column) => [column, columnOptions(PLAN[column], cacheBytes)])),
  },
})

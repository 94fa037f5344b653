/** `chain inspect`: what the database of a stopped home holds. */
import { bytesToHex, type Hex } from '../../../core/hex.ts'
import { ChainReader, readChainParameters, readCommittedHeight } from '../../../app/index/chain-reader.ts'
import { readBaseHeight } from '../../../store/base-height.ts'
import { type KeptRange, readKeptRange } from '../../../store/kept-range.ts'
import { type ColumnUsage, readColumnUsage } from '../../../store/rocks/table-properties.ts'
import type { RocksStore } from '../../../store/rocks/rocks-store.ts'
import { readRollbackTarget } from '../../../store/rollback.ts'
import { COLUMNS } from '../../../store/store.ts'
import type { Home } from '../../node/config/home.ts'
import { openStore, withDatabase } from '../../node/open-database.ts'

const NO_USAGE: ColumnUsage = { files: 0, bytes: 0, approximateKeys: 0 }

interface InspectedHead {
  readonly height: number
  /** Also the app hash. */
  readonly hash: Hex
  readonly timeNs: string
  readonly stateRoot: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
}

export interface Inspection {
  readonly database: string
  readonly chainId: string | undefined
  readonly evmChainId: number | undefined
  readonly initialHeight: number | undefined
  /** Undefined before the first block. */
  readonly head: InspectedHead | undefined
  readonly kept: KeptRange
  readonly base: number
  /** The target of a rollback that was cut short. */
  readonly rollbackTarget: number | undefined
  readonly columns: Readonly<Record<string, ColumnUsage>>
  readonly totalBytes: number
}

const inspectHead = (store: RocksStore): InspectedHead | undefined => {
  const height = readCommittedHeight(store)
  const record = height === undefined ? undefined : new ChainReader(store).header(height)
  if (record === undefined) return undefined
  const { stateRoot, transactionsRoot, receiptsRoot, number } = record.header
  return {
    height: number,
    hash: bytesToHex(record.hash),
    timeNs: record.timeNs.toString(),
    stateRoot: bytesToHex(stateRoot),
    transactionsRoot: bytesToHex(transactionsRoot),
    receiptsRoot: bytesToHex(receiptsRoot),
  }
}

/** What the database itself says. */
const inspectStore = (store: RocksStore): Omit<Inspection, 'database' | 'columns' | 'totalBytes'> => {
  const parameters = readChainParameters(store)
  return {
    chainId: parameters?.chainId,
    evmChainId: parameters === undefined ? undefined : Number(parameters.evmChainId),
    initialHeight: parameters?.initialHeight,
    head: inspectHead(store),
    kept: readKeptRange(store),
    base: readBaseHeight(store),
    rollbackTarget: readRollbackTarget(store),
  }
}

/** Reads a database that a rollback left half done, too. Throws cli/2, cli/11, cli/16 and store errors. */
export const inspectHome = async (home: Home): Promise<Inspection> => {
  const inspected = await withDatabase(home, inspectStore, openStore)
  // Opening has written everything to the tables, and since it was closed nobody rewrites them.
  const usage = readColumnUsage(home.database)
  const columns = Object.fromEntries(COLUMNS.map((column) => [column, usage.get(column) ?? NO_USAGE]))
  const totalBytes = Object.values(columns).reduce((sum, { bytes }) => sum + bytes, 0)
  return { database: home.database, ...inspected, columns, totalBytes }
}

const describeKept = ({ from, interval, sparseFrom }: KeptRange): string => {
  if (from === 0) return 'every height'
  return interval === 0 ? `from ${from}` : `from ${from}, and every ${interval}th from ${sparseFrom}`
}

const mebibytes = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MiB`

export const describeInspection = (inspection: Inspection): readonly string[] => {
  const { head, chainId, evmChainId, kept, base, rollbackTarget, columns, totalBytes } = inspection
  return [
    `database       ${inspection.database}`,
    `chain          ${chainId === undefined ? 'not begun' : `${chainId} (EVM chain id ${evmChainId})`}`,
    ...(head === undefined
      ? ['height         none']
      : [
          `height         ${head.height}`,
          `block hash     ${head.hash}`,
          `state root     ${head.stateRoot}`,
          `transactions   ${head.transactionsRoot}`,
          `receipts       ${head.receiptsRoot}`,
        ]),
    `kept state     ${describeKept(kept)}`,
    `lowest block   ${Math.max(base, (inspection.initialHeight ?? 1) - 1)}`,
    ...(rollbackTarget === undefined ? [] : [`rollback       to ${rollbackTarget} was cut short: run it again`]),
    ...Object.entries(columns).map(
      ([name, { bytes, approximateKeys, files }]) =>
        `${name.padEnd(14)} ${mebibytes(bytes).padStart(12)} ${String(approximateKeys).padStart(12)} keys, about ${String(files).padStart(6)} files`,
    ),
    `total          ${mebibytes(totalBytes).padStart(12)}`,
  ]
}

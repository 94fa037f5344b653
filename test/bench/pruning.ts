/**
 * What history costs on disk, and what it costs to keep it from growing: MB over heights, with and without pruning.
 * Run: node test/bench/pruning.ts [blocks] [transfers a block] [accounts paid] [heights kept]
 */
import { readColumnUsage } from '../../store/rocks/table-properties.ts'
import type { Column, KeyValueStore } from '../../store/store.ts'
import { startSweeper, type SweeperMessage } from '../../bin/node/runtime/sweeper.ts'
import { TransferChain } from './support/transfer-chain.ts'

const blocks = Number(process.argv[2] ?? 3_000)
const perBlock = Number(process.argv[3] ?? 30)
const paid = Number(process.argv[4] ?? 20_000)
const keepRecent = Number(process.argv[5] ?? 300)
const REPORTS = 10
const MEGABYTE = 1e6

const countEntries = (store: KeyValueStore, column: Column): number => {
  const cursor = store.cursor(column)
  let count = 0
  for (let entry = cursor.seek(new Uint8Array(0)); entry !== undefined; entry = cursor.next()) count++
  cursor.close()
  return count
}

/** Table files come and go while RocksDB packs them. */
const megabytes = (folder: string): { readonly history: string; readonly all: string } => {
  for (;;) {
    try {
      const usage = readColumnUsage(folder)
      const history = (usage.get('history')?.bytes ?? 0) + (usage.get('trie_history')?.bytes ?? 0)
      const all = [...usage.values()].reduce((sum, { bytes }) => sum + bytes, 0)
      return { history: (history / MEGABYTE).toFixed(1), all: (all / MEGABYTE).toFixed(1) }
    } catch (error) {
      if (!(error instanceof Error && ('code' in error || 'codespace' in error))) throw error
    }
  }
}

const run = async (name: string, pruning: { readonly keepRecent: number; readonly interval: number }) => {
  // A fixed set of accounts that are paid again and again, and some that are paid in every block.
  const recipient = (height: number, index: number): number =>
    index % 4 === 0 ? index : (height * 7919 + index * 104_729) % paid
  const chain = await TransferChain.open({ senders: 64, recipient, pruning })
  let visited = 0
  let dropped = 0
  const sweeper = startSweeper({
    store: chain.store,
    log: { info: () => undefined, warn: console.warn, error: console.error },
    onFault: (error) => {
      throw error
    },
    onStep: (step: SweeperMessage) => {
      if (step.type !== 'step') return
      visited += step.visited
      dropped += step.dropped
    },
  })
  console.log(`${name}: ${perBlock} transfers a block, ${paid} accounts; keep ${JSON.stringify(pruning)}`)
  console.log('height    history MB (tables)  all MB   history entries  trie entries   visited   dropped  ms a block')
  let fromMs = performance.now()
  for (let block = 1; block <= blocks; block++) {
    await chain.block(perBlock)
    sweeper.committed()
    if (block % Math.floor(blocks / REPORTS) !== 0) continue
    const tookMs = (performance.now() - fromMs) / Math.floor(blocks / REPORTS)
    const { history, all } = megabytes(chain.folder)
    const entries = [countEntries(chain.store, 'history'), countEntries(chain.store, 'trie_history')]
    const row = [history, all, ...entries, visited, dropped, tookMs.toFixed(1)]
    console.log(String(block).padEnd(10), ...row.map((cell) => String(cell).padStart(14)))
    fromMs = performance.now()
  }
  await sweeper.close()
  await chain.close()
}

await run('archive', { keepRecent: 0, interval: 0 })
await run('pruned', { keepRecent, interval: 0 })
await run('pruned, sparse', { keepRecent, interval: 500 })

/** One seed from its first block to the comparison of all databases. */
import { COLUMNS, type KeyValueStore } from '../../../store/store.ts'
import { createHash } from 'node:crypto'
import { checkInvariants } from '../world.ts'
import { Network, type NetworkOptions } from './network.ts'
import type { OrderReport } from './order-rules.ts'
import { must, type Rules } from './rules.ts'
import type { Report } from './network.ts'

const MS_A_BLOCK = 20_000
const CALM_MS = 120_000

export interface SeedReport extends Report {
  readonly seed: number
  readonly height: number
  /** Blocks that nodes executed and wrote, those of replays counted. */
  readonly commits: number
  readonly transactions: number
  readonly accepted: Rules['accepted']
  readonly rejected: Rules['rejected']
  readonly evidence: number
  readonly lost: number
  readonly partitions: number
  readonly virtualMs: number
  readonly trace: string
  /** Undefined where nobody traded. */
  readonly orders: OrderReport | undefined
}

/** Columns that pruning leaves alone. */
const KEPT_BY_ALL = ['state', 'code', 'trie'] as const

const digestOf = (store: KeyValueStore, columns: readonly (typeof COLUMNS)[number][]): string => {
  const hash = createHash('sha256')
  for (const column of columns) {
    const cursor = store.cursor(column)
    for (let entry = cursor.seek(new Uint8Array(0)); entry !== undefined; entry = cursor.next()) {
      hash.update(`${column} ${entry[0].length} ${entry[1].length}\n`).update(entry[0]).update(entry[1])
    }
    cursor.close()
  }
  return hash.digest('hex')
}

/** Byte for byte: a node that crashed a hundred times holds what one holds that never did. */
const compareDatabases = ({ nodes }: Network): void => {
  const archives = nodes.filter(({ plan }) => plan.keptHeights === 0)
  for (const [group, columns] of [
    [nodes, KEPT_BY_ALL],
    [archives, COLUMNS],
  ] as const) {
    const digests = group.map(({ store }) => digestOf(store, columns))
    must(new Set(digests).size <= 1, 'all databases are the same', () =>
      group.map(({ plan }, i) => `${plan.name} ${digests[i]}`).join(),
    )
  }
}

/** Throws a Violation where a rule is broken. */
export const runSeed = async (seed: number, blocks: number, options: NetworkOptions = {}): Promise<SeedReport> => {
  const network = new Network(seed, blocks, options)
  const { rules, clients, links, evidence, nodes, timeline, report } = network
  try {
    await network.storm(blocks * MS_A_BLOCK)
    await network.calm(CALM_MS)
    await network.settle()
    compareDatabases(network)
    for (const { node } of nodes) checkInvariants(node)
    return {
      ...report,
      seed,
      height: rules.highest,
      commits: rules.commits,
      transactions: clients.answered,
      accepted: rules.accepted,
      rejected: rules.rejected,
      evidence: evidence.size,
      lost: links.lost,
      partitions: links.partitions,
      virtualMs: timeline.nowMs,
      trace: network.traceHash(),
      orders: network.orderRules?.report,
    }
  } finally {
    await network.close()
  }
}

/**
 * Vectors of the order book, made by the slow model alone: what a second implementation runs without this project's code.
 * `scripts/run.sh node test/clob/vectors.ts` writes test/vectors/clob; a test compares the files with what this makes.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToUnprefixedHex } from '../../core/bytes.ts'
import { encodeAction, encodeClobTx } from '../../modules/clob/orders/index.ts'
import { Random } from '../sim/random.ts'
import { codeNumber, reasonNumber } from './codes.ts'
import { makeRun, modelStep } from './runs.ts'
import { encodeRecord, recordsHash, type ModelRecord } from './model/records.ts'
import { encodeModelResult } from './model/result.ts'
import { bookRoot, encodeModelOrder, merkleRoot } from './model/root.ts'
import type { ModelOutcome } from './model/step.ts'
import type { ModelMarket, ModelOrder, World } from './model/world.ts'
import type { TrafficBlock } from './traffic.ts'

const CASES = 200
const CANDIDATES = 900
const BLOCKS = 4

/** Integers of any size stand as decimal text. */
const text = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'bigint' ? `${part}` : part === undefined ? null : part,
    ),
  )

const orderJson = ({ seq, market, ...order }: ModelOrder): unknown => text({ market, seq, ...order })

/** What a step reads of state; `escrow` is what the module's account holds, `fees` what the fee collector had of the book. */
const worldJson = (world: World): Record<string, unknown> => ({
  ...commonJson(world),
  orders: world.orders.map(orderJson),
  nonces: text(world.nonces),
  marks: text(world.marks),
})

/** What it leaves. The orders are those of the roots; of nonces and marks those of the block, and how many there are. */
const leftJson = (world: World, height: number): Record<string, unknown> => ({
  ...commonJson(world),
  orders: world.orders.length,
  nonces: text(world.nonces.filter((nonce) => nonce.height === height)),
  marks: text(world.marks.filter((mark) => mark.height === height)),
  keptNonces: world.nonces.length,
  keptMarks: world.marks.length,
})

const commonJson = (world: World): Record<string, unknown> => ({
  nextSeq: `${world.nextSeq}`,
  timeMs: `${world.timeMs}`,
  records: world.markets.map((market) => {
    const { id, blockPrice, sequence, priceMs, sinceMs } = market
    const root = bookRoot(world.orders.filter((order) => order.market === id))
    return text({ market: id, sequence, blockPrice, priceMs, sinceMs, bookRoot: root })
  }),
  accounts: [...world.accounts]
    .filter(([, { switchMs, floors }]) => switchMs !== 0n || floors.length > 0)
    .map(([owner, account]) => text({ owner, ...account })),
  trades: text(summed(world)),
  balances: amounts(world.balances),
  escrow: amounts(world.escrow),
  fees: amounts(world.fees),
})

/** Notional by owner, denomination and day. */
const summed = (world: World): unknown => {
  const sums = new Map<string, bigint>()
  for (const { owner, denom, day, notional } of world.trades) {
    const key = `${owner} ${denom} ${day}`
    sums.set(key, (sums.get(key) ?? 0n) + notional)
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const amounts = (map: ReadonlyMap<string, bigint>): unknown =>
  Object.fromEntries([...map].filter(([, amount]) => amount > 0n).map(([key, amount]) => [key, `${amount}`]))

const marketJson = ({ blockPrice: _, sequence: __, priceMs: ___, sinceMs: ____, ...market }: ModelMarket): unknown =>
  text(market)

/** Refused ones have no records: `order_rejected` tells of them. */
const queuedJson = ({ code, seq, lots, quote }: ModelOutcome['queued'][number]): unknown =>
  text({ code: codeNumber(code), orderSeq: seq, filledLots: lots, quote })

const expectedOf = (outcome: ModelOutcome, height: number): unknown => ({
  results: outcome.results.map(({ code, actions, records }) => {
    const hash = recordsHash(records, reasonNumber)
    return {
      code: codeNumber(code),
      data: encodeModelResult(actions, hash, codeNumber),
      records: records.map((record) => encodeRecord(record, reasonNumber)),
    }
  }),
  queued: outcome.queued.map(queuedJson),
  afterRecords: outcome.after.map((record) => encodeRecord(record, reasonNumber)),
  after: outcome.after.length === 0 ? null : recordsHash(outcome.after, reasonNumber),
  state: leftJson(outcome.world, height),
})

const caseOf = (name: string, start: World, block: TrafficBlock, outcome: ModelOutcome): unknown => ({
  name,
  height: block.height,
  timeMs: block.timeMs,
  parameters: start.limits,
  bounds: start.bounds,
  markets: start.markets.map(marketJson),
  agents: text(start.agents),
  state: worldJson(start),
  queue: block.queue.map(({ owner, subaccount, action }) => ({
    owner,
    subaccount,
    action: bytesToUnprefixedHex(encodeAction(action)),
  })),
  batch: block.batch.map(({ tx, listedPhase, signer }) => ({
    wire: tx === undefined ? null : bytesToUnprefixedHex(encodeClobTx(tx)),
    listedPhase,
    signer: signer ?? null,
  })),
  expected: expectedOf(outcome, block.height),
})

const kindOf = (record: ModelRecord): string =>
  record.kind === 'removed'
    ? `removed ${record.reason}`
    : `${record.kind} ${record.kind === 'fill' && record.makerRebate > 0n ? 'rebate' : ''}`

/** An order that came too late changes nothing of its owner, as a transaction that fails its checks: a switch that has passed stays. */
const leavesSwitch = ({ queued, world }: ModelOutcome, { queue }: TrafficBlock): boolean =>
  queued.some(({ code }, at) => {
    const switchMs = world.accounts.get(queue[at]?.owner ?? '')?.switchMs ?? 0n
    return code === 'nonceTime' && switchMs > 0n && switchMs <= world.timeMs
  })

/** What a case shows, by word: the first case that shows something is kept. */
const featuresOf = (start: World, block: TrafficBlock, outcome: ModelOutcome): readonly string[] => {
  const modes = new Map(start.markets.map(({ id, mode }) => [id, mode]))
  return [
    ...outcome.results.map(({ code }) => `transaction ${code}`),
    ...outcome.results.flatMap(({ actions }) => actions.map(({ code }) => `action ${code}`)),
    ...outcome.results.flatMap(({ records }) =>
      records.map((record) => `${modes.get(record.market)} ${kindOf(record)}`),
    ),
    ...outcome.queued.map(({ code }) => `queued ${code}`),
    ...(leavesSwitch(outcome, block) ? ['queued too late, by an owner with a switch'] : []),
    ...outcome.after.map((record) => `after ${modes.get(record.market)} ${kindOf(record)}`),
  ]
}

interface Candidate {
  readonly content: unknown
  readonly features: readonly string[]
  readonly size: number
}

const candidates = (): readonly Candidate[] =>
  Array.from({ length: CANDIDATES }, (_, at): readonly Candidate[] => {
    const seed = 1_000_000 + at
    const run = makeRun(seed, BLOCKS)
    let world = run.world
    let last: Candidate | undefined
    for (const block of run.blocks) {
      const { start, outcome } = modelStep(world, block)
      if (block.batch.length + block.queue.length > 0) {
        const content = caseOf(`seed ${seed}, block ${block.height}`, start, block, outcome)
        last = { content, features: featuresOf(start, block, outcome), size: JSON.stringify(content).length }
      }
      world = outcome.world
    }
    return last === undefined ? [] : [last]
  }).flat()

/** Those that show what none before did, then those that show most for their size. */
export const matchingVectors = (): { readonly about: string; readonly cases: readonly unknown[] } => {
  const all = candidates()
  const seen = new Set<string>()
  const chosen = all.filter(({ features }) => {
    const isNew = features.some((feature) => !seen.has(feature))
    for (const feature of features) seen.add(feature)
    return isNew
  })
  const rest = all
    .filter((candidate) => !chosen.includes(candidate))
    .toSorted((a, b) => b.features.length / b.size - a.features.length / a.size)
  const cases = [...chosen, ...rest].slice(0, CASES).map(({ content }) => content)
  return { about: 'CLOB steps of one block each; docs/clob-spec.md says what the members are.', cases }
}

const ROOT_SIZES = [0, 1, 2, 3, 40, 1_100]

const randomOrder = (random: Random, seq: bigint): ModelOrder => ({
  market: 1,
  seq,
  owner: random.hex(20).slice(2),
  subaccount: random.pick([0, 1, 127, 128, 2 ** 32 - 1]),
  side: random.pick(['buy', 'sell'] as const),
  tif: random.pick(['gtc', 'post_only'] as const),
  price: BigInt(random.pick([1, 127, 128, 65_536, 2 ** 32 - 1])),
  lots: 2n ** 53n - 1n,
  left: BigInt(random.pick([1, 255, 256, 2 ** 40, 2 ** 53 - 1])),
  lockedPpm: BigInt(random.pick([0, 1, 99_999])),
  clientId: random.hex(random.pick([0, 1, 16])).slice(2),
  expireS: BigInt(random.pick([0, 1_900_000_000])),
  triggerTicks: 0n,
  triggerKind: 'none',
  stp: random.pick(['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement'] as const),
  maxFills: random.pick([1, 20, 200]),
  postOnlyMode: random.pick(['reject', 'slide'] as const),
})

interface RootVectors {
  readonly about: string
  readonly books: readonly {
    readonly orders: readonly { readonly seq: string; readonly value: string }[]
    readonly root: string
  }[]
  readonly encodings: readonly unknown[]
  readonly trees: readonly unknown[]
}

/** Roots of books, with order_seq around the number of buckets; and Merkle roots of lists, as the audit needs them. */
export const rootVectors = (): RootVectors => {
  const random = new Random(20_261_123)
  const books = ROOT_SIZES.map((size) => {
    const orders = Array.from({ length: size }, (_, at) =>
      randomOrder(random, BigInt(size < 10 ? 1_023 + at * 1_024 : 1_000 + at)),
    )
    return {
      orders: orders.map((order) => ({ seq: `${order.seq}`, value: encodeModelOrder(order) })),
      root: bookRoot(orders),
    }
  })
  const encodings = Array.from({ length: 20 }, (_, at) => {
    const order = randomOrder(random, BigInt(at + 1))
    return { order: orderJson(order), value: encodeModelOrder(order) }
  })
  const trees = [0, 1, 2, 3, 4, 5, 7, 8, 9, 100].map((size) => {
    const leaves = Array.from({ length: size }, (_, at) => createHash('sha256').update(`leaf ${at}`).digest())
    return { leaves: leaves.map((leaf) => leaf.toString('hex')), root: merkleRoot(leaves).toString('hex') }
  })
  return {
    about: 'Roots of books by the values of their orders, and Merkle roots as RFC 6962 has them.',
    books,
    encodings,
    trees,
  }
}

export const VECTOR_FOLDER = join(import.meta.dirname, '../vectors/clob')

/** A case a line: the file is read by machines, and its changes by lines. */
const linesOf = (about: string, cases: readonly unknown[]): string =>
  `{"about": ${JSON.stringify(about)}, "cases": [\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`

if (process.argv[1] === import.meta.filename) {
  mkdirSync(VECTOR_FOLDER, { recursive: true })
  const { about, cases } = matchingVectors()
  writeFileSync(join(VECTOR_FOLDER, 'matching.json'), linesOf(about, cases))
  writeFileSync(join(VECTOR_FOLDER, 'roots.json'), `${JSON.stringify(rootVectors(), undefined, 2)}\n`)
}

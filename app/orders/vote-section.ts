/**
 * What this node's vote on a block says of orders: bodies that others may lack of what the block carries, then the orders that it
 * has seen. Nodes with equal pools say the same. docs/clob-spec.md, Selection.
 */
import { bytesToKey } from '../../core/bytes.ts'
import { type Hash, sha256 } from '../../core/hash.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import type { VoteExtension } from '../../modules/attestations.ts'
import {
  attestationsThatFit,
  type Candidate,
  type ClobBody,
  CLOB_TX_BYTE,
  encodeAttestations,
  expectedSigner,
  isCanonicalAttestations,
  type ListedId,
  longestClobTx,
  marketOfAction,
  NONCE_WINDOW_MS,
  PHASES,
  readParameters,
  selectCandidates,
  type SelectionContext,
  shareBytes,
  toAttestations,
} from '../../modules/clob/index.ts'
import { readValidators } from '../../modules/consensus/index.ts'
import type { VotedChain } from '../attestations/chain.ts'
import type { ExtensionSection } from '../attestations/voter.ts'
import type { WallClock } from '../environment.ts'
import type { ProposedBlock } from '../ports.ts'
import { lastGoodTilBlock, latestNonceMs } from './admission.ts'
import { decodeOrNothing } from './decode-or-nothing.ts'
import type { OrderPool } from './pool.ts'
import type { PooledOrder } from './pooled-order.ts'
import type { CarriedBy, OrderBookReader } from './ports.ts'
import type { Standings } from './standing.ts'

/** Blocks of one height whose first call is remembered: rounds may bring any number. */
const MAX_PROPOSALS = 64
/** One in so many bytes of the cap is for bodies. */
const BODY_SHARE = 4
/** Field 1 of an extension. */
const VERSION_BYTES = 2
const NANOSECONDS_PER_MILLISECOND = 1_000_000n

export interface OrdersSectionOptions {
  readonly clock: WallClock
  readonly pool: OrderPool
  readonly carriedBy: CarriedBy
  books(): OrderBookReader
  /** The standings at the committed head. */
  standings(): Standings
  /** Finds an order in the pool. */
  find(listed: ListedId): PooledOrder | undefined
  /** Told what the vote attests. */
  attested(height: number, orders: readonly PooledOrder[]): void
}

type Ordered = Pick<ClobBody, 'phase' | 'tx'>

interface PooledCandidate extends Candidate {
  readonly order: PooledOrder
}

export class OrdersSection implements ExtensionSection {
  readonly name = 'orders'
  readonly #options: OrdersSectionOptions
  /** The time when a block was first spoken of, by CometBFT's hash of it. */
  readonly #proposedMs = new Map<string, number>()

  constructor(options: OrdersSectionOptions) {
    this.#options = options
  }

  /** ProcessProposal is called with a block of this hash. */
  noteProposal(hash: Hash): void {
    this.#proposalMs(hash)
  }

  /** The height is over. */
  settle(): void {
    this.#proposedMs.clear()
  }

  attest(block: ProposedBlock, chain: VotedChain, spentBytes: number, capBytes: number): Partial<VoteExtension> {
    const proposalMs = this.#proposalMs(block.hash)
    const listed = this.#options.carriedBy(block, chain)
    if (listed === undefined) return {}
    const carried = this.#held(listed)
    const bodies = chooseBodies(carried, listed, capBytes, spentBytes, this.#options.find)
    const bodyBytes = bodies.reduce((sum, { raw }) => sum + proposalBytes(raw.length), 0)
    const { blockWeight, minAgeMs } = readParameters(chain.state)
    const context: SelectionContext = {
      salt: block.hash,
      timeOfHMs: Number(block.timeNs / NANOSECONDS_PER_MILLISECOND),
      limits: {
        attestations: attestationsThatFit(capBytes, bodyBytes + spentBytes),
        bytes: shareBytes(readValidators(chain.state, block.height).length, capBytes),
        weight: blockWeight,
      },
      carried: PHASES.map((phase) => sum(carried.filter((order) => order.phase === phase))),
    }
    const candidates = this.#candidates(block, carried, proposalMs, minAgeMs, longestClobTx(capBytes))
    const chosen = selectCandidates(candidates, context)
    const attestations = encodeAttestations(toAttestations(chosen, context))
    // What others would not read is not said.
    if (!isCanonicalAttestations(attestations)) return {}
    this.#options.attested(
      block.height,
      chosen.map(({ order }) => order),
    )
    return { attestations, bodies: bodies.map(({ raw }) => raw) }
  }

  /** What the next blocks execute for sure: orders of the block and what it carries. */
  #onTheirWay(included: ReadonlyMap<string, Uint8Array>, carried: readonly PooledOrder[]): readonly Ordered[] {
    const { pool } = this.#options
    const ofBlock = [...included].flatMap(([key, raw]) => pool.byKey(key) ?? decodeOrNothing(raw) ?? [])
    return [...carried, ...ofBlock]
  }

  /** The orders of these ids that the pool holds, in the order of the ids. */
  #held(listed: readonly ListedId[]): readonly PooledOrder[] {
    return [...new Set(listed.flatMap((id) => this.#options.find(id) ?? []))]
  }

  /** The first time that anybody speaks of the block. */
  #proposalMs(hash: Hash): number {
    const key = bytesToKey(hash)
    const known = this.#proposedMs.get(key)
    if (known !== undefined) return known
    const nowMs = this.#options.clock.wallMs()
    // When a height has more rounds, the later ones are as old as they are.
    if (this.#proposedMs.size < MAX_PROPOSALS) this.#proposedMs.set(key, nowMs)
    return nowMs
  }

  /** The candidates among all bodies, in any order. */
  #candidates(
    block: ProposedBlock,
    carried: readonly PooledOrder[],
    proposalMs: number,
    minAgeMs: number,
    longest: number,
  ): readonly PooledCandidate[] {
    const { pool } = this.#options
    const books = this.#options.books()
    const standings = this.#options.standings()
    const included = hashesOf(block)
    const isCarried = new Set(carried)
    // The next block is later still: it would refuse an older one without using its nonce up, and so would those after it.
    const timeMs = Number(block.timeNs / NANOSECONDS_PER_MILLISECOND)
    const leastNonceMs = timeMs - NONCE_WINDOW_MS
    const lastNonceMs = latestNonceMs(timeMs, proposalMs)
    const lastMs = proposalMs - minAgeMs
    const lastEnd = lastGoodTilBlock(block.height)
    const orders: PooledOrder[] = []
    for (const order of pool.orders()) {
      const { tx, raw, seenMs, key } = order
      if (seenMs > lastMs || tx.goodTilBlock <= block.height || raw.length > longest) continue
      // It came a little early, and waits.
      if (tx.goodTilBlock > lastEnd || tx.nonceMs > lastNonceMs) continue
      if (included.has(key) || isCarried.has(order)) continue
      if (tx.nonceMs < leastNonceMs || books.isNonceUsed(expectedSigner(tx), tx.nonceMs)) continue
      if (standings.hasMinEquity(tx)) orders.push(order)
    }
    const placed = placedMarkets(orders, this.#onTheirWay(included, carried))
    return orders.map((order) => ({
      order,
      hash: order.hash,
      phase: order.phase,
      weight: order.weight,
      bytes: order.raw.length,
      owner: order.tx.owner,
      ownerKey: order.ownerKey,
      nonceMs: order.tx.nonceMs,
      hasPriority: order.phase === 0 && hasPriority(order, books, placed),
      firstSeenMs: order.seenMs,
    }))
  }
}

const sum = (orders: readonly PooledOrder[]): { readonly bytes: number; readonly weight: number } => {
  let bytes = 0
  let weight = 0
  for (const order of orders) {
    bytes += proposalBytes(order.raw.length)
    weight += order.weight
  }
  return { bytes, weight }
}

/**
 * Chooses bodies of the carried ids in their order, until a quarter of the cap is used up. The head's body comes along
 * wherever it fits.
 */
const chooseBodies = (
  held: readonly PooledOrder[],
  listed: readonly ListedId[],
  capBytes: number,
  spentBytes: number,
  find: OrdersSectionOptions['find'],
): readonly PooledOrder[] => {
  const [first] = listed
  const head = first && find(first)
  const chosen: PooledOrder[] = []
  let bytes = 0
  for (const order of held) {
    const more = bytes + proposalBytes(order.raw.length)
    const limit = order === head ? capBytes - spentBytes - VERSION_BYTES : Math.floor(capBytes / BODY_SHARE)
    if (more > limit) break
    bytes = more
    chosen.push(order)
  }
  return chosen
}

/** Orders that the block holds, by the hashes of their wire forms. */
const hashesOf = ({ transactions }: ProposedBlock): ReadonlyMap<string, Uint8Array> =>
  new Map(transactions.flatMap((raw) => (raw[0] === CLOB_TX_BYTE ? [[bytesToKey(sha256(raw)), raw]] : [])))

/**
 * The owners who cancel something and have a Place on its way, each with its markets. A Place that merely waits in the
 * pool is none: it costs nobody anything.
 */
const placedMarkets = (
  orders: readonly PooledOrder[],
  onTheirWay: readonly Ordered[],
): ReadonlyMap<string, ReadonlySet<number>> => {
  const cancelling = new Set<string>()
  for (const { ownerKey, phase } of orders) if (phase === 0) cancelling.add(ownerKey)
  const placed = new Map<string, Set<number>>()
  if (cancelling.size === 0) return placed
  for (const { phase, tx } of onTheirWay) {
    const ownerKey = bytesToKey(tx.owner)
    if (phase === 0 || !cancelling.has(ownerKey)) continue
    for (const action of tx.actions) {
      if (action.kind !== 'place' && action.kind !== 'replace') continue
      const markets = placed.get(ownerKey)
      if (markets === undefined) placed.set(ownerKey, new Set([action.place.market]))
      else markets.add(action.place.market)
    }
  }
  return placed
}

/** Whether there is something that the cancel may cancel. */
const hasPriority = (
  { ownerKey, tx }: PooledOrder,
  books: OrderBookReader,
  placed: ReadonlyMap<string, ReadonlySet<number>>,
): boolean => {
  const own = placed.get(ownerKey)
  return tx.actions.some((action) => {
    const market = marketOfAction(action)
    if (books.hasOpenOrder(tx.owner, market)) return true
    return own !== undefined && (market === 0 || own.has(market))
  })
}

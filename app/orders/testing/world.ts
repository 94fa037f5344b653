/** For tests: the orders' door of a node, with traders, a head that the test moves, and a world that it can look at. */
import type { Address } from '../../../core/address.ts'
import { EMPTY_BYTES, bytesToKey, concatBytes, uint32ToBytes } from '../../../core/bytes.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'
import { privateKeyToAddress, signDigest as signHash } from '../../../core/signature.ts'
import { mint } from '../../../modules/bank/index.ts'
import type { Market } from '../../../modules/clob/domain/market.ts'
import { writeMarket, writeRecord } from '../../../modules/clob/keeper/index.ts'
import { type Action, type ClobTx, encodeClobTx, type Place, signDigest } from '../../../modules/clob/orders/index.ts'
import type { ListedId } from '../../../modules/clob/plan/index.ts'
import { writeValidatorSets } from '../../../modules/consensus/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import type { VotedChain } from '../../attestations/chain.ts'
import type { Environment, JournaledOrder, SignatureThread, VoteAnswer } from '../../environment.ts'
import type { ProposedBlock } from '../../ports.ts'
import { Orders } from '../orders.ts'
import type { PoolBounds } from '../pool.ts'

export const START_MS = 1_700_000_000_000
export const START_HEIGHT = 1_000
export const CHAIN = { chainId: 'localnat-1', evmChainId: 2517 }
export const BASE = 'base'
export const QUOTE = 'quote'

const MARKET: Market = {
  id: 1,
  baseDenom: BASE,
  quoteDenom: QUOTE,
  lotSize: 10n,
  factor: 1n,
  fees: [{ volume: 0n, makerPpm: 0, takerPpm: 100 }],
  minNotional: 0n,
  bandPpm: 0,
  maxOpenOrders: 500,
  triggerNotional: 0n,
  minEquity: 0n,
  status: 'active',
  mode: 'continuous',
}

export const place = (changes: Partial<Place> = {}): Action => ({
  kind: 'place',
  place: {
    market: 1,
    side: 'buy',
    priceTicks: 5,
    qtyLots: 2,
    tif: 'gtc',
    stp: 'cancel_maker',
    clientId: EMPTY_BYTES,
    expireS: 0,
    triggerTicks: 0,
    triggerKind: 'none',
    maxFills: 0,
    postOnlyMode: 'reject',
    ...changes,
  },
})
export const post = (changes: Partial<Place> = {}): Action => place({ tif: 'post_only', ...changes })
export const cancelAll = (market = 1): Action => ({ kind: 'cancelAll', market, side: undefined })

export interface Trader {
  readonly address: Address
  /** The wire form of a signed transaction, by default a Place that rests or takes. */
  sign(changes?: Partial<Omit<ClobTx, 'signature'>>, chain?: typeof CHAIN): Uint8Array
}

export const makeTrader = (number: number): Trader => {
  const privateKey = sha256(concatBytes(Uint8Array.of(7), uint32ToBytes(number)))
  const address = privateKeyToAddress(privateKey)
  let nonceMs = START_MS
  return {
    address,
    sign: (changes = {}, chain = CHAIN) => {
      const unsigned: ClobTx = {
        owner: address,
        subaccount: 0,
        nonceMs: nonceMs++,
        goodTilBlock: START_HEIGHT + 20,
        actions: [place()],
        sigScheme: 2,
        agent: undefined,
        ...changes,
        signature: EMPTY_BYTES,
      }
      const { r, s, yParity } = signHash(signDigest(unsigned, chain), privateKey)
      return encodeClobTx({ ...unsigned, signature: concatBytes(r, s, Uint8Array.of(yParity)) })
    },
  }
}

export interface WorldOptions {
  readonly bounds?: PoolBounds
  readonly signatures?: SignatureThread
  readonly market?: Partial<Market>
  /** What the last run left. */
  readonly journal?: JournaledOrder[]
  /** What it said with its votes of the newest height. */
  readonly answers?: readonly VoteAnswer[]
  readonly validators?: number
  readonly peers?: number
}

export interface World {
  readonly orders: Orders
  readonly state: Overlay
  readonly chain: VotedChain
  /** Wall clock of the node. */
  wallMs: number
  /** Height of the next block. */
  height: number
  /** Time of the head. */
  timeMs: number
  readonly journal: JournaledOrder[]
  journalFails: boolean
  /** CometBFT follows blocks, and takes no transactions. */
  catchingUp: boolean
  /** 0 while nothing is known of CometBFT. */
  highestHeight: number
  readonly offered: Uint8Array[]
  /** How often an offer did not reach CometBFT. */
  losses: number
  /** The markets in which an owner has an open order, by owner. */
  readonly open: Map<string, readonly number[]>
  readonly usedNonces: Set<string>
  /** What the next block to be voted on carries; undefined: it is not the plan's. */
  carried: readonly ListedId[] | undefined
  fund(address: Address, amount: bigint, denom?: string): void
  /** The block of the next height. */
  block(changes?: Partial<ProposedBlock>): ProposedBlock
}

export const nonceKey = (signer: Address, nonceMs: number): string => `${bytesToKey(signer)} ${nonceMs}`

export const openWorld = (options: WorldOptions = {}): World => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  const market = { ...MARKET, ...options.market }
  writeMarket(state, market)
  writeRecord(state, market.id, {
    sequence: 0,
    blockPriceTicks: 4,
    priceMs: 0n,
    sinceMs: START_MS,
    bestBidTicks: 0,
    bestAskTicks: 0,
    openOrders: 0,
    bookRoot: new Uint8Array(32),
  })
  const validators = Array.from({ length: options.validators ?? 4 }, (_, index) => ({
    publicKey: sha256(uint32ToBytes(index)),
    power: 1n,
  }))
  writeValidatorSets(state, [{ fromHeight: 1, validators }])
  const journal = options.journal ?? []
  const silent = (): undefined => undefined
  const environment = {
    clock: { nowMs: () => world.wallMs, wallMs: () => world.wallMs },
    orderJournal: {
      load: () => [...journal],
      append: (orders: readonly JournaledOrder[]) => {
        if (world.journalFails) throw new TypeError('no space left on device')
        journal.push(...orders)
      },
      rewrite: (orders: readonly JournaledOrder[]) => void journal.splice(0, journal.length, ...orders),
    },
    voteAnswers: { load: () => options.answers ?? [], keep: silent },
    gossip: {
      offer: (raws: readonly Uint8Array[]) => void world.offered.push(...raws),
      get losses() {
        return world.losses
      },
    },
    ...(options.signatures && { signatures: options.signatures }),
    consensusStatus: () => ({
      catchingUp: world.catchingUp,
      peers: options.peers ?? 3,
      highestHeight: world.highestHeight,
    }),
    log: { info: silent, warn: silent, error: silent },
  } as unknown as Environment
  const books = {
    hasOpenOrder: (owner: Address, id: number) => {
      const markets = world.open.get(bytesToKey(owner)) ?? []
      return id === 0 ? markets.length > 0 : markets.includes(id)
    },
    isNonceUsed: (signer: Address, nonceMs: number) => world.usedNonces.has(nonceKey(signer, nonceMs)),
    openOrderCount: (owner: Address) => world.open.get(bytesToKey(owner))?.length ?? 0,
  }
  const orders = new Orders({
    environment,
    head: () => ({ chain: CHAIN, state, books, height: world.height, timeMs: world.timeMs }),
    carriedBy: () => world.carried,
    ...(options.bounds && { bounds: options.bounds }),
  })
  const world: World = {
    orders,
    state,
    chain: { state } as unknown as VotedChain,
    wallMs: START_MS,
    height: START_HEIGHT,
    timeMs: START_MS,
    journal,
    journalFails: false,
    catchingUp: false,
    highestHeight: 0,
    offered: [],
    losses: 0,
    open: new Map(),
    usedNonces: new Set(),
    carried: [],
    fund: (address, amount, denom = QUOTE) => mint(state, address, { denom, amount }),
    block: (changes = {}) => ({
      height: world.height,
      timeNs: BigInt(world.timeMs) * 1_000_000n,
      proposerAddress: new Uint8Array(20),
      nextValidatorsHash: new Uint8Array(32),
      lastCommitRound: 0,
      lastCommit: [],
      misbehavior: [],
      transactions: [],
      hash: sha256(uint32ToBytes(world.height)),
      ...changes,
    }),
  }
  return world
}

/** Commits the next block. */
export const commit = (world: World, included: readonly Hash[] = [], carried: readonly ListedId[] = []): void => {
  const { height } = world
  world.height++
  world.timeMs += 1_000
  world.wallMs += 1_000
  world.orders.settle({ height, hash: sha256(uint32ToBytes(height)), included, carried })
}

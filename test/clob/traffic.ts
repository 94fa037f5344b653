/**
 * Worlds and blocks of the order book from a seed: few owners, few prices, tiny quantities and limits, so that corner cases collide.
 * A block is plain data: a failing run is made smaller by leaving parts of it out.
 */
import { keyToBytes, bytesToUnprefixedHex } from '../../core/bytes.ts'
import { hexToBytes } from '../../core/hex.ts'
import type { Action, ClobTx, Phase, Place, Target } from '../../modules/clob/orders/clob-tx.ts'
import type { Side } from '../../modules/clob/domain/order.ts'
import type { Random } from '../sim/random.ts'
import { phaseOf, weightOf } from './model/checks.ts'
import type { ModelQueued } from './model/contracts.ts'
import {
  emptyWorld,
  type ModelAgent,
  type ModelLimits,
  type ModelMarket,
  type ModelTier,
  type World,
} from './model/world.ts'

export interface TrafficTx {
  readonly tx: ClobTx | undefined
  readonly listedPhase: Phase
  readonly signer: string | undefined
}

/** What governance, messages and the EVM do between two steps. */
export type Change =
  | { readonly kind: 'market'; readonly id: number; readonly patch: Partial<ModelMarket> }
  | { readonly kind: 'limits'; readonly patch: Partial<ModelLimits> }
  | { readonly kind: 'agent'; readonly agent: ModelAgent }
  | { readonly kind: 'balance'; readonly key: string; readonly amount: bigint }

export interface TrafficBlock {
  readonly height: number
  readonly timeMs: number
  readonly changes: readonly Change[]
  readonly batch: readonly TrafficTx[]
  /** What contracts queued in the block before. */
  readonly queue: readonly ModelQueued[]
}

export const OWNERS = [1, 2, 3, 4].map((n) => `${n}`.repeat(2).padStart(40, 'a'))
const AGENTS = [1, 2].map((n) => `${n}`.repeat(2).padStart(40, 'e'))
export const DENOMS = ['ubtc', 'ueth', 'uusd'] as const
const RICH = [10_000_000, 1_000_000_000, 1_000_000_000_000]
const START_MS = 1_800_000_000_000
/** A signature of the right form; whose it is, a test says itself. */
export const SOME_SIGNATURE = Uint8Array.from({ length: 65 }, (_, at) => (at === 31 || at === 63 ? 1 : 0))
const DAY_MS = 86_400_000

export const addressOf = (hex: string): Uint8Array => hexToBytes(`0x${hex}`)

const tiers = (random: Random): ModelTier[] => {
  // The least rebate is below the least fee of a taker, whatever the tiers of both.
  const taker = random.pick([0, 1_000, 33_333, 99_999])
  const maker = random.pick(
    [0, 500, 20_000, -500, -20_000].filter((ppm) => ppm + taker > 0 || (ppm === 0 && taker > 0)),
  )
  const first = { volume: 0n, makerPpm: BigInt(maker ?? 0), takerPpm: BigInt(Math.max(taker, 1_000)) }
  const least = Math.max(taker, 1_000)
  const second = {
    volume: BigInt(random.pick([1, 50, 300])),
    makerPpm: BigInt(-Math.floor(least / 2) + 1),
    takerPpm: BigInt(least - 10),
  }
  return random.chance(60)
    ? [{ ...first, makerPpm: first.makerPpm <= -BigInt(least - 10) ? 0n : first.makerPpm }, second]
    : [{ ...first, makerPpm: first.makerPpm <= -BigInt(least) ? 0n : first.makerPpm }]
}

const makeMarket = (random: Random, id: number, isDeep: boolean, isHuge: boolean): ModelMarket => ({
  id,
  baseDenom: id === 2 ? 'ueth' : 'ubtc',
  quoteDenom: id === 3 ? 'ueth' : 'uusd',
  lotSize: isHuge ? 10n ** 24n : BigInt(random.pick([1, 2, 5])),
  factor: isHuge ? 10n ** 17n : BigInt(random.pick([1, 3, 7, 1_000])),
  fees: tiers(random),
  minNotional: BigInt(random.pick([0, 0, 4, 30])),
  bandPpm: BigInt(random.pick([0, 0, 200_000, 500_000])),
  maxOpenOrders: isDeep ? 100 : random.pick([2, 5, 9]),
  triggerNotional: BigInt(random.pick([0, 1, 20])),
  status: 'active',
  mode: id === 3 || (id === 2 && random.chance(30)) ? 'uniform' : 'continuous',
  blockPrice: 0n,
  sequence: 0n,
  priceMs: 0n,
  sinceMs: BigInt(START_MS),
})

export const makeWorld = (random: Random): World => {
  const isDeep = random.chance(25)
  // Amounts beyond 2^64, and some that no order may have.
  const isHuge = random.chance(5)
  const world = emptyWorld({
    maxActions: random.pick([6, 60, 400, 400]),
    maxOpenOrders: isDeep ? 120 : random.pick([4, 9, 15]),
    maxTriggers: random.pick([1, 2, 500]),
    triggerWeight: random.pick([2, 10, 5_000]),
    maxRemovals: random.pick([1, 3, 2_000]),
  })
  if (!isDeep && random.chance(50))
    world.bounds = { side: random.pick([1, 2, 4, 100]), all: random.pick([2, 5, 9, 100]) }
  world.markets = [1, 2, 3].slice(0, random.pick([1, 3, 3])).map((id) => makeMarket(random, id, isDeep, isHuge))
  world.timeMs = BigInt(START_MS)
  for (const owner of OWNERS) {
    for (const denom of DENOMS) {
      const amount = BigInt(random.pick([30, 50_000, ...RICH, ...RICH]))
      world.balances.set(`${owner} ${denom}`, isHuge ? amount * 10n ** 24n : amount)
    }
  }
  return world
}

const patchOf = (random: Random): Partial<ModelMarket> => {
  switch (random.below(7)) {
    case 0:
    case 1:
      return { status: random.pick(['active', 'active', 'post_only', 'cancel_only', 'halted'] as const) }
    case 2:
      return { mode: random.pick(['continuous', 'uniform'] as const) }
    case 3:
      return { fees: tiers(random) }
    case 4:
      return { bandPpm: BigInt(random.pick([0, 100_000, 500_000])) }
    case 5:
      return { triggerNotional: BigInt(random.pick([0, 5, 100])), minNotional: BigInt(random.pick([0, 10])) }
    default:
      return { maxOpenOrders: random.pick([1, 4, 50]) }
  }
}

const changesOf = (random: Random, world: World, timeMs: number): Change[] => {
  const changes: Change[] = []
  for (const market of world.markets) {
    const isOpen = market.status === 'active'
    if (random.chance(isOpen ? 12 : 0)) changes.push({ kind: 'market', id: market.id, patch: patchOf(random) })
    else if (!isOpen && random.chance(50)) changes.push({ kind: 'market', id: market.id, patch: { status: 'active' } })
  }
  if (random.chance(5)) changes.push({ kind: 'limits', patch: { maxRemovals: random.pick([1, 2, 50]) } })
  if (random.chance(5)) changes.push({ kind: 'limits', patch: { maxOpenOrders: random.pick([2, 6, 40]) } })
  if (random.chance(20)) {
    const expireS = BigInt(random.pick([0, Math.floor(timeMs / 1000), Math.floor(timeMs / 1000) + 5]))
    const markets = random.pick([[], [], [1], [1, 2]])
    changes.push({ kind: 'agent', agent: { owner: random.pick(OWNERS), agent: random.pick(AGENTS), expireS, markets } })
  }
  if (random.chance(20)) {
    const key = `${random.pick(OWNERS)} ${random.pick(DENOMS)}`
    changes.push({ kind: 'balance', key, amount: BigInt(random.pick([0, 7, 5_000_000])) })
  }
  return changes
}

export const applyChange = (world: World, change: Change): void => {
  if (change.kind === 'market') {
    world.markets = world.markets.map((market) => (market.id === change.id ? { ...market, ...change.patch } : market))
  } else if (change.kind === 'limits') world.limits = { ...world.limits, ...change.patch }
  else if (change.kind === 'balance') world.balances.set(change.key, change.amount)
  else {
    const { agent } = change
    world.agents = world.agents.filter((one) => one.owner !== agent.owner || one.agent !== agent.agent)
    if (agent.expireS !== 0n) world.agents.push(agent)
  }
}

const SIDES = ['buy', 'sell'] as const
const clientIdOf = (random: Random): Uint8Array => keyToBytes(random.pick(['', '', 'a', 'b', 'cc', 'abcdefghijklmnop']))

const placeOf = (random: Random, market: number, timeMs: number): Place => {
  const side: Side = random.pick(SIDES)
  const kind = random.below(100)
  const tif = kind < 50 ? 'gtc' : kind < 65 ? 'ioc' : kind < 75 ? 'fok' : 'post_only'
  const hasTrigger = random.chance(12)
  const expires = (tif === 'gtc' || tif === 'post_only') && random.chance(25)
  // Around 10: buys mostly below, sells mostly above.
  const offset = random.below(5) - 1 - random.below(2)
  return {
    market,
    side,
    priceTicks: random.chance(2) ? random.pick([1, 2 ** 32 - 1]) : side === 'buy' ? 11 - offset : 9 + offset,
    qtyLots: random.chance(2) ? random.pick([2 ** 53 - 1, 1_000]) : 1 + random.below(6),
    tif,
    stp: random.pick(['cancel_maker', 'cancel_maker', 'cancel_taker', 'cancel_both', 'decrement'] as const),
    clientId: clientIdOf(random),
    expireS: expires ? Math.floor(timeMs / 1000) + random.below(6) : 0,
    triggerTicks: hasTrigger ? 7 + random.below(7) : 0,
    triggerKind: hasTrigger ? random.pick(['stop', 'stop', 'take_profit'] as const) : 'none',
    maxFills: random.pick([0, 1, 1, 2, 3, 200]),
    postOnlyMode: random.pick(['reject', 'slide'] as const),
  }
}

const targetOf = (random: Random, world: World, owner: string): Target => {
  const open = world.orders.filter((order) => order.owner === owner)
  if (random.chance(60)) {
    const known = open.map(({ clientId }) => clientId).filter((id) => id !== '')
    const clientId =
      known.length > 0 && random.chance(70)
        ? hexToBytes(`0x${random.pick(known)}`)
        : keyToBytes(random.pick(['a', 'b', 'cc']))
    return { kind: 'client', clientId }
  }
  const seq =
    open.length > 0 && random.chance(80) ? Number(random.pick(open).seq) : 1 + random.below(Number(world.nextSeq) + 3)
  return { kind: 'seq', orderSeq: seq }
}

const actionOf = (random: Random, world: World, owner: string, timeMs: number, style: Phase): Action => {
  const market = random.chance(2) ? 9 : 1 + random.below(world.markets.length)
  const drawn = style === 0 ? 80 + random.below(20) : random.below(100)
  if (drawn < 80) {
    const place = placeOf(random, market, timeMs)
    return {
      kind: 'place',
      place: style === 1 && place.triggerKind === 'none' ? { ...place, tif: 'post_only' } : place,
    }
  }
  if (drawn < 86) return { kind: 'cancel', market, target: targetOf(random, world, owner) }
  if (drawn < 88) {
    const side = random.pick([undefined, undefined, ...SIDES])
    return { kind: 'cancelAll', market: random.pick([0, market]), side }
  }
  if (drawn < 90)
    return {
      kind: 'scheduleCancel',
      atMs: random.pick([0, timeMs - 1, timeMs + 1, timeMs + 2_500, timeMs + 9_000, timeMs + DAY_MS + 1]),
    }
  if (style === 0) return { kind: 'cancel', market, target: targetOf(random, world, owner) }
  const place = placeOf(random, market, timeMs)
  const shaped: Place = style === 1 && place.triggerKind === 'none' ? { ...place, tif: 'post_only' } : place
  const open = world.orders.filter((order) => order.owner === owner)
  if (open.length > 0 && random.chance(60)) {
    const old = random.pick(open)
    const near: Place = { ...shaped, market: old.market, side: old.side, priceTicks: Number(old.price) }
    const target: Target = { kind: 'seq', orderSeq: Number(old.seq) }
    return {
      kind: 'replace',
      target,
      place: random.chance(70) ? near : { ...near, priceTicks: shaped.priceTicks },
      keepPriority: random.chance(70),
    }
  }
  return { kind: 'replace', target: targetOf(random, world, owner), place: shaped, keepPriority: random.chance(50) }
}

/** What places an order and changes it in one transaction, before a clearing has seen it. */
const andChanged = (random: Random, actions: readonly Action[]): readonly Action[] => {
  const named = actions.flatMap((action) =>
    action.kind === 'place' && action.place.clientId.length > 0 ? [action.place] : [],
  )
  if (named.length === 0 || !random.chance(25)) return actions
  const old = random.pick(named)
  const place: Place = {
    ...old,
    tif: random.pick(['gtc', 'post_only'] as const),
    qtyLots: 1 + random.below(old.qtyLots),
    maxFills: random.pick([0, 1, 200]),
    expireS: 0,
  }
  const target: Target = { kind: 'client', clientId: old.clientId }
  return [...actions, { kind: 'replace', target, place, keepPriority: random.chance(80) }]
}

const ladder = (random: Random, world: World): Action[] => {
  const market = 1 + random.below(world.markets.length)
  const side = random.pick(SIDES)
  return Array.from({ length: 12 + random.below(14) }, (): Action => {
    const place = placeOf(random, market, 0)
    return {
      kind: 'place',
      place: {
        ...place,
        side,
        priceTicks: side === 'buy' ? 5 + random.below(5) : 11 + random.below(5),
        tif: 'post_only',
        qtyLots: 1,
        expireS: 0,
        clientId: new Uint8Array(0),
        triggerKind: 'none',
        triggerTicks: 0,
      },
    }
  })
}

const nonceOf = (random: Random, world: World, timeMs: number): number => {
  const used = world.nonces.map(({ nonceMs }) => Number(nonceMs))
  if (used.length > 0 && random.chance(3)) return random.pick(used)
  if (random.chance(3)) return timeMs + random.pick([-60_001, -60_000, 60_000, 60_001])
  return timeMs - 50_000 + random.below(100_000)
}

const txOf = (random: Random, world: World, height: number, timeMs: number): TrafficTx => {
  if (random.chance(1)) return { tx: undefined, listedPhase: 0, signer: undefined }
  const owner = random.pick(OWNERS)
  const style = random.pick([0, 1, 2, 2, 2] as const)
  const isLadder = world.limits.maxOpenOrders > 50 && random.chance(8)
  const actions = isLadder
    ? ladder(random, world)
    : andChanged(
        random,
        Array.from({ length: 1 + random.below(4) }, () => actionOf(random, world, owner, timeMs, style)),
      )
  const agent = random.chance(8) ? random.pick(AGENTS) : undefined
  const tx: ClobTx = {
    owner: addressOf(owner),
    subaccount: random.chance(80) ? 0 : 1,
    nonceMs: nonceOf(random, world, timeMs),
    goodTilBlock: height + (random.chance(4) ? random.pick([-1, 41]) : random.pick([0, 1, 3, 40])),
    actions,
    sigScheme: 1,
    signature: SOME_SIGNATURE,
    agent: agent === undefined ? undefined : addressOf(agent),
  }
  const right = phaseOf(tx)
  const signer = random.chance(1) ? undefined : random.chance(1) ? AGENTS[0] : (agent ?? owner)
  return { tx, listedPhase: random.chance(1) ? random.pick([0, 1, 2] as const) : right, signer }
}

/** Owners of the batch call the precompile, too: so their limits, switches and marks meet both. */
const queueOf = (random: Random, world: World, timeMs: number): readonly ModelQueued[] => {
  if (random.chance(40)) return []
  return Array.from({ length: 1 + random.below(6) }, () => {
    const owner = random.pick(OWNERS)
    const style = random.pick([0, 1, 2, 2, 2] as const)
    const subaccount = random.chance(80) ? 0 : 1
    return { owner, subaccount, action: actionOf(random, world, owner, timeMs, style) }
  })
}

/** The next block of a world. Most batches are in the order of phases, as a plan has them; carried ones are not. */
export const makeBlock = (random: Random, world: World, height: number): TrafficBlock => {
  const step = random.chance(4) ? DAY_MS * random.pick([1, 15, 31]) : random.pick([300, 700, 1_000, 3_000])
  const timeMs = Number(world.timeMs) + step
  const batch = Array.from({ length: random.below(9) }, () => txOf(random, world, height, timeMs))
  // A second transaction of one owner with one nonce: the second is refused.
  const twice = random.chance(5) ? batch.slice(0, 1) : []
  const all = [...batch, ...twice]
  const ordered = random.chance(70) ? all.toSorted((a, b) => a.listedPhase - b.listedPhase) : all
  const queue = queueOf(random, world, timeMs)
  return { height, timeMs, changes: changesOf(random, world, timeMs), batch: ordered, queue }
}

export const txWeight = (tx: ClobTx): number => weightOf(tx)

/** A transaction as a line, for whoever reads a failure. */
export const describeTx = ({ tx, listedPhase, signer }: TrafficTx): string => {
  const text = JSON.stringify(tx, (key, value: unknown) => {
    if (key === 'signature') return undefined
    return value instanceof Uint8Array ? bytesToUnprefixedHex(value) : value
  })
  return `phase ${listedPhase} signer ${signer ?? 'none'} ${text ?? 'malformed'}`
}

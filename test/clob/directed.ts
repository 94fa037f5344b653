/** Runs by hand for what chance does not meet: the bound of floors, and how long nonces and marks bind. */
import type { Action, ClobTx, Place } from '../../modules/clob/orders/clob-tx.ts'
import { Random } from '../sim/random.ts'
import { phaseOf } from './model/checks.ts'
import { emptyWorld, type World } from './model/world.ts'
import type { Run } from './runs.ts'
import { addressOf, makeWorld, OWNERS, SOME_SIGNATURE, type TrafficBlock, type TrafficTx } from './traffic.ts'

const SIDES = ['buy', 'sell'] as const
const LABELS = [0, 1, 2]
const MARKETS = [1, 2, 3]
/** More than a CancelAll removes at once. */
const ORDERS = 22
const RICH = 10n ** 30n
const NO_ID = new Uint8Array(0)

/** Markets that take anything, and owners who can pay it. */
const openWorld = (maxRemovals: number): World => {
  const world = makeWorld(new Random(1))
  const [market] = world.markets
  if (market === undefined) throw new RangeError('a world has a market')
  world.limits = { maxActions: 10_000, maxOpenOrders: 5_000, maxTriggers: 500, triggerWeight: 5_000, maxRemovals }
  world.bounds = emptyWorld(world.limits).bounds
  world.markets = MARKETS.map((id) => ({
    ...market,
    id,
    minNotional: 0n,
    bandPpm: 0n,
    maxOpenOrders: 5_000,
    mode: 'continuous',
  }))
  for (const key of world.balances.keys()) world.balances.set(key, RICH)
  return world
}

const placeOf = (patch: Partial<Place>): Action => ({
  kind: 'place',
  place: {
    market: 1,
    side: 'buy',
    priceTicks: 5,
    qtyLots: 1,
    tif: 'post_only',
    stp: 'cancel_maker',
    clientId: NO_ID,
    expireS: 0,
    triggerTicks: 0,
    triggerKind: 'none',
    maxFills: 0,
    postOnlyMode: 'reject',
    ...patch,
  },
})

const OWNER = OWNERS[0] ?? ''

const txOf = (nonceMs: number, goodTilBlock: number, subaccount: number, actions: readonly Action[]): TrafficTx => {
  const tx: ClobTx = {
    owner: addressOf(OWNER),
    subaccount,
    nonceMs,
    goodTilBlock,
    actions,
    sigScheme: 1,
    signature: SOME_SIGNATURE,
    agent: undefined,
  }
  return { tx, listedPhase: phaseOf(tx), signer: OWNER }
}

const blockAt = (height: number, timeMs: number, batch: readonly TrafficTx[]): TrafficBlock => ({
  height,
  timeMs,
  changes: [],
  queue: [],
  batch,
})

/** 18 cancel-alls that each leave orders to remove: the 17th and the 18th are refused, one of all markets replaces its label's. */
export const floorRun = (): Run => {
  const world = openWorld(1)
  const timeMs = Number(world.timeMs) + 1_000
  let nonceMs = timeMs
  const filters = LABELS.flatMap((label) =>
    MARKETS.flatMap((market) => SIDES.map((side) => ({ label, market, side }) as const)),
  )
  const places = filters.map(({ label, market, side }) => {
    const actions = Array.from({ length: ORDERS }, () => placeOf({ market, side, priceTicks: side === 'buy' ? 5 : 6 }))
    return txOf(nonceMs++, 2, label, actions)
  })
  const cancels = filters.map(({ label, market, side }) =>
    txOf(nonceMs++, 3, label, [{ kind: 'cancelAll', market, side }]),
  )
  const all = txOf(nonceMs++, 3, 0, [{ kind: 'cancelAll', market: 0, side: undefined }])
  const again = txOf(nonceMs++, 4, 2, [{ kind: 'cancelAll', market: 0, side: undefined }])
  const replaced = txOf(nonceMs++, 4, 1, [
    {
      kind: 'replace',
      target: { kind: 'seq', orderSeq: 150 },
      place: { ...firstPlace(), market: 1 },
      keepPriority: false,
    },
  ])
  return {
    seed: 0,
    world,
    blocks: [
      blockAt(2, timeMs, places),
      blockAt(3, timeMs + 500, [...cancels, all]),
      blockAt(4, timeMs + 900, [again, replaced]),
      ...[5, 6, 7].map((height) => blockAt(height, timeMs + height * 300, [])),
    ],
  }
}

const firstPlace = (): Place => {
  const action = placeOf({})
  if (action.kind !== 'place') throw new RangeError('a place is a place')
  return action.place
}

/** A nonce and a mark of block 2 in the last block that they bind, and in the one after. */
export const memoryRun = (): Run => {
  const world = openWorld(2_000)
  const timeMs = Number(world.timeMs) + 1_000
  const clientId = Uint8Array.of(1)
  const cancel: Action = { kind: 'cancel', market: 1, target: { kind: 'client', clientId } }
  const late = timeMs + 30_000
  return {
    seed: 0,
    world,
    blocks: [
      blockAt(2, timeMs, [txOf(late, 42, 0, [cancel]), txOf(late + 1, 5, 0, [{ ...cancel, market: 2 }])]),
      blockAt(5, timeMs + 100, [txOf(late - 10, 5, 0, [placeOf({ market: 2, clientId })])]),
      blockAt(6, timeMs + 200, [txOf(late - 9, 6, 0, [placeOf({ market: 2, clientId })])]),
      blockAt(42, timeMs + 300, [
        txOf(late, 42, 0, [placeOf({ clientId })]),
        txOf(late - 8, 42, 0, [placeOf({ clientId })]),
      ]),
      blockAt(43, timeMs + 400, [txOf(late, 43, 0, [placeOf({})]), txOf(late - 7, 43, 0, [placeOf({ clientId })])]),
    ],
  }
}

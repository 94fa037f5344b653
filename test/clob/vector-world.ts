/** A case of matching.json read back: the world that it begins with, as state of the node. */
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { mint } from '../../modules/bank/index.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import type { Phase } from '../../modules/clob/orders/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import { openBulkState } from './bulk.ts'
import type {
  ModelAgent,
  ModelBounds,
  ModelFloor,
  ModelLimits,
  ModelMark,
  ModelMarket,
  ModelNonce,
  ModelOrder,
  World,
} from './model/world.ts'
import { addressOf } from './traffic.ts'

/** A value as JSON has it: integers that may be large are decimal text, what is not there is null. */
type Json<Value> = Value extends bigint
  ? string
  : Value extends undefined
    ? null
    : Value extends readonly (infer Item)[]
      ? readonly Json<Item>[]
      : Value extends object
        ? { readonly [Name in keyof Value]: Json<Value[Name]> }
        : Value

type MarketRecord = 'blockPrice' | 'sequence' | 'priceMs' | 'sinceMs'

interface CommonState {
  readonly nextSeq: string
  readonly timeMs: string
  readonly records: readonly (Json<Pick<ModelMarket, MarketRecord>> & {
    readonly market: number
    readonly bookRoot: string
  })[]
  readonly accounts: readonly {
    readonly owner: string
    readonly switchMs: string
    readonly floors: readonly Json<ModelFloor>[]
  }[]
  readonly trades: Readonly<Record<string, string>>
  readonly balances: Readonly<Record<string, string>>
  readonly escrow: Readonly<Record<string, string>>
  readonly fees: Readonly<Record<string, string>>
  readonly nonces: readonly Json<ModelNonce>[]
  readonly marks: readonly Json<ModelMark>[]
}

export interface MatchingCase {
  readonly name: string
  readonly height: number
  readonly timeMs: number
  readonly parameters: ModelLimits
  readonly bounds: ModelBounds
  readonly markets: readonly Json<Omit<ModelMarket, MarketRecord>>[]
  readonly agents: readonly Json<ModelAgent>[]
  readonly state: CommonState & { readonly orders: readonly Json<ModelOrder>[] }
  readonly batch: readonly {
    readonly wire: string | null
    readonly listedPhase: Phase
    readonly signer: string | null
  }[]
  readonly queue: readonly { readonly owner: string; readonly subaccount: number; readonly action: string }[]
  readonly expected: {
    readonly queued: readonly {
      readonly code: number
      readonly orderSeq: string
      readonly filledLots: string
      readonly quote: string
    }[]
    readonly results: readonly { readonly code: number; readonly data: string; readonly records: readonly string[] }[]
    readonly afterRecords: readonly string[]
    readonly after: string | null
    readonly state: CommonState & { readonly orders: number; readonly keptNonces: number; readonly keptMarks: number }
  }
}

const amountsOf = (amounts: Readonly<Record<string, string>>): Map<string, bigint> =>
  new Map(Object.entries(amounts).map(([key, amount]) => [key, BigInt(amount)]))

const orderOf = (order: Json<ModelOrder>): ModelOrder => ({
  ...order,
  seq: BigInt(order.seq),
  price: BigInt(order.price),
  lots: BigInt(order.lots),
  left: BigInt(order.left),
  lockedPpm: BigInt(order.lockedPpm),
  expireS: BigInt(order.expireS),
  triggerTicks: BigInt(order.triggerTicks),
})

const marketOf = (json: MatchingCase, market: MatchingCase['markets'][number]): ModelMarket => {
  const record = json.state.records.find((one) => one.market === market.id)
  if (record === undefined) throw new RangeError(`market ${market.id} has no record`)
  return {
    ...market,
    lotSize: BigInt(market.lotSize),
    factor: BigInt(market.factor),
    fees: market.fees.map(({ volume, makerPpm, takerPpm }) => ({
      volume: BigInt(volume),
      makerPpm: BigInt(makerPpm),
      takerPpm: BigInt(takerPpm),
    })),
    minNotional: BigInt(market.minNotional),
    bandPpm: BigInt(market.bandPpm),
    triggerNotional: BigInt(market.triggerNotional),
    blockPrice: BigInt(record.blockPrice),
    sequence: BigInt(record.sequence),
    priceMs: BigInt(record.priceMs),
    sinceMs: BigInt(record.sinceMs),
  }
}

const worldOf = (json: MatchingCase): World => ({
  limits: json.parameters,
  bounds: json.bounds,
  nextSeq: BigInt(json.state.nextSeq),
  timeMs: BigInt(json.state.timeMs),
  markets: json.markets.map((market) => marketOf(json, market)),
  orders: json.state.orders.map(orderOf),
  balances: amountsOf(json.state.balances),
  escrow: amountsOf(json.state.escrow),
  fees: amountsOf(json.state.fees),
  accounts: new Map(
    json.state.accounts.map(({ owner, switchMs, floors }) => [
      owner,
      {
        switchMs: BigInt(switchMs),
        floors: floors.map((floor) => ({
          subaccount: floor.subaccount ?? undefined,
          market: floor.market,
          side: floor.side ?? undefined,
          nextSeq: BigInt(floor.nextSeq),
        })),
      },
    ]),
  ),
  agents: json.agents.map((agent) => ({ ...agent, expireS: BigInt(agent.expireS) })),
  nonces: json.state.nonces.map((nonce) => ({ ...nonce, nonceMs: BigInt(nonce.nonceMs) })),
  marks: json.state.marks.map((mark) => ({ ...mark, side: mark.side ?? undefined, nonceMs: BigInt(mark.nonceMs) })),
  trades: Object.entries(json.state.trades).map(([key, notional]) => {
    const [owner = '', denom = '', day = '0'] = key.split(' ')
    return { owner, denom, day: BigInt(day), notional: BigInt(notional) }
  }),
})

const DAYS = 31

const writeVolumes = (state: Overlay, world: World): void => {
  for (const key of new Set(world.trades.map(({ owner, denom }) => `${owner} ${denom}`))) {
    const [owner = '', denom = ''] = key.split(' ')
    const own = world.trades.filter((trade) => trade.owner === owner && trade.denom === denom)
    const lastDay = Math.max(...own.map(({ day }) => Number(day)))
    const sums = Array.from({ length: DAYS }, (_, ago) =>
      own.filter(({ day }) => Number(day) === lastDay - ago).reduce((sum, { notional }) => sum + notional, 0n),
    )
    keeper.writeVolume(state, addressOf(owner), denom, { lastDay, sums })
  }
}

/** State as the case has it. */
export const openCase = (json: MatchingCase): { readonly world: World; readonly state: Overlay } => {
  const world = worldOf(json)
  const state = openBulkState(world)
  for (const { owner, agent, expireS, markets } of world.agents) {
    keeper.writeAgent(state, addressOf(owner), addressOf(agent), { name: 'agent', expireS: Number(expireS), markets })
  }
  for (const height of new Set(world.nonces.map((nonce) => nonce.height))) {
    const list = world.nonces.filter((nonce) => nonce.height === height)
    keeper.writeNonces(
      state,
      height,
      list.map(({ signer, nonceMs }) => ({ signer: addressOf(signer), nonceMs: Number(nonceMs) })),
    )
  }
  for (const height of new Set(world.marks.map((mark) => mark.height))) {
    const list = world.marks.filter((mark) => mark.height === height)
    keeper.writeMarks(
      state,
      height,
      list.map((mark) => ({
        ...mark,
        owner: addressOf(mark.owner),
        clientId: Buffer.from(mark.clientId, 'hex'),
        nonceMs: Number(mark.nonceMs),
      })),
    )
  }
  keeper.writeQueue(
    state,
    json.queue.map(({ owner, subaccount, action }) => ({
      owner: addressOf(owner),
      subaccount,
      action: Buffer.from(action, 'hex'),
    })),
  )
  writeVolumes(state, world)
  for (const [denom, amount] of world.fees) mint(state, FEE_COLLECTOR_ADDRESS, { denom, amount })
  return { world, state }
}

/** State as a world has it before its first order, and what happens to it between two steps. */
import { Overlay } from '../../store/overlay.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import type { Market } from '../../modules/clob/domain/market.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../modules/clob/params.ts'
import { mint } from '../../modules/bank/index.ts'
import type { StateWriter } from '../../store/state.ts'
import { LEDGER } from './lines.ts'
import { encodeAction } from '../../modules/clob/orders/index.ts'
import type { ModelQueued } from './model/contracts.ts'
import { bookRoot } from './model/root.ts'
import { marketOf, type ModelLimits, type ModelMarket, type World } from './model/world.ts'
import { addressOf, type Change } from './traffic.ts'

const CACHE = 100

export const marketOfModel = (market: ModelMarket): Market => ({
  id: market.id,
  baseDenom: market.baseDenom,
  quoteDenom: market.quoteDenom,
  lotSize: market.lotSize,
  factor: market.factor,
  fees: market.fees.map(({ volume, makerPpm, takerPpm }) => ({
    volume,
    makerPpm: Number(makerPpm),
    takerPpm: Number(takerPpm),
  })),
  minNotional: market.minNotional,
  bandPpm: Number(market.bandPpm),
  maxOpenOrders: market.maxOpenOrders,
  triggerNotional: market.triggerNotional,
  minEquity: 0n,
  status: market.status,
  mode: market.mode,
})

const writeLimits = (state: StateWriter, limits: ModelLimits): void =>
  keeper.writeParameters(state, { ...DEFAULT_CLOB_PARAMETERS, ...limits })

const giveBalance = (state: StateWriter, key: string, amount: bigint): void => {
  const [owner, denom] = key.split(' ') as [string, string]
  const held = LEDGER.balance(state, addressOf(owner), denom)
  const context = { state, emit: () => undefined }
  if (amount > held) mint(state, addressOf(owner), { denom, amount: amount - held })
  else LEDGER.burn(context, addressOf(owner), [{ denom, amount: held - amount }])
}

/** Opens the state of a world that must have no orders. */
export const openState = (world: World): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), CACHE))
  writeLimits(state, world.limits)
  keeper.writeTimeMs(state, Number(world.timeMs))
  keeper.writeNextSeq(state, Number(world.nextSeq))
  for (const market of world.markets) {
    keeper.writeMarket(state, marketOfModel(market))
    keeper.writeRecord(state, market.id, {
      sequence: 0,
      blockPriceTicks: 0,
      priceMs: 0n,
      sinceMs: Number(market.sinceMs),
      bestBidTicks: 0,
      bestAskTicks: 0,
      openOrders: 0,
      bookRoot: Buffer.from(bookRoot([]), 'hex'),
    })
  }
  for (const [key, amount] of world.balances) giveBalance(state, key, amount)
  return state
}

/** `world` has the change already. */
export const applyToState = (state: StateWriter, world: World, change: Change): void => {
  if (change.kind === 'market') keeper.writeMarket(state, marketOfModel(marketOf(world, change.id)))
  else if (change.kind === 'limits') writeLimits(state, world.limits)
  else if (change.kind === 'balance') giveBalance(state, change.key, change.amount)
  else {
    const { owner, agent, expireS, markets } = change.agent
    const entry = expireS === 0n ? undefined : { name: 'agent', expireS: Number(expireS), markets }
    keeper.writeAgent(state, addressOf(owner), addressOf(agent), entry)
  }
}

/** What contracts queued in the block before. */
export const writeQueueOf = (state: StateWriter, queue: readonly ModelQueued[]): void =>
  keeper.writeQueue(
    state,
    queue.map(({ owner, subaccount, action }) => ({
      owner: addressOf(owner),
      subaccount,
      action: encodeAction(action),
    })),
  )

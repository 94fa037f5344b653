/** A contract asks for an action, which the next block runs right after its batch. docs/clob-spec.md, Orders of contracts. */
import type { Address } from '../../core/address.ts'
import type { StateReader } from '../../store/state.ts'
import type { MessageContext } from '../module.ts'
import { clobError } from './errors.ts'
import { orderQueued } from './events.ts'
import { readMarket, readParameters, readQueuedTotals, writeQueued } from './keeper/index.ts'
import { marketOfAction } from './orders/clob-tx.ts'
import { decodeAction } from './orders/decode-action.ts'
import { weightOfAction } from './orders/phase-and-weight.ts'

/** Look-ups, and the entry: it is written, moved into the queue at the end of the block, and read in the next one. */
const QUEUE_GAS = 20_000n
/**
 * The gas of each unit of an action's weight. A fill between owners whom no other one meets takes 0.12 to 0.18 ms
 * (docs/performance.md), and a unit of gas weighs 12 ns here, 7 as any and 5 as one of a native precompile
 * (evm/weight.ts): so what the next block does for contracts counts in the weight of the block that queues it.
 */
const WEIGHT_GAS = 15_000n

export interface ContractAction {
  /** Whoever calls, and nobody else. */
  readonly owner: Address
  readonly subaccount: number
  /** An encoded Action. */
  readonly action: Uint8Array
}

/** What may still be queued in the running block, as weight. */
export const queueRoom = (state: StateReader): number =>
  Math.max(0, readParameters(state).contractWeight - readQueuedTotals(state).weight)

/**
 * Returns its place among what the block queues, from 0. Throws clob/2 to clob/12 where the action is not statically valid, clob/25
 * where its market does not exist, and clob/32 where it goes beyond what contracts may queue in a block. Funds are looked at when it runs.
 */
export const queueAction = (
  { state, emit, consumeGas }: MessageContext,
  { owner, subaccount, action: bytes }: ContractAction,
): number => {
  const action = decodeAction(bytes)
  const weight = weightOfAction(action)
  consumeGas(QUEUE_GAS + WEIGHT_GAS * BigInt(weight), 'action of a contract')
  const market = marketOfAction(action)
  if (market !== 0 && readMarket(state, market) === undefined) {
    throw clobError('noMarket', `there is no market ${market}`)
  }
  const { contractWeight } = readParameters(state)
  const totals = readQueuedTotals(state)
  if (totals.weight + weight > contractWeight) {
    const left = Math.max(0, contractWeight - totals.weight)
    throw clobError('queueFull', `the queue of this block has room for a weight of ${left}, not of ${weight}`)
  }
  const place = totals.count
  writeQueued(state, { count: place + 1, weight: totals.weight + weight }, { owner, subaccount, action: bytes })
  emit(orderQueued({ place, owner, subaccount, kind: action.kind, market }))
  return place
}

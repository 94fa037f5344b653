/**
 * Actions that contracts queue. While a block runs each stands below a key of its own, so that to add one costs the same
 * whatever is there already, and a frame that reverts takes back its own alone. The end of the block puts them into the one
 * value that the next step takes and that an audit proves.
 */
import { invariant } from '../../../core/errors.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { MAX_ACTION_BYTES, MAX_QUEUE_WEIGHT, MAX_QUEUED, type QueuedAction } from '../domain/queue.ts'
import { CLOB_ACCOUNT, QUEUE_KEY, QUEUED_KEY, queuedKey } from '../keys.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'

export type { QueuedAction }

/** Totals of the running block. */
export interface QueuedTotals {
  readonly count: number
  readonly weight: number
}

const itemsOf = ({ owner, subaccount, action }: QueuedAction) => [owner, uint(subaccount), action]

const readEntry = (fields: RlpReader): QueuedAction => ({
  owner: fields.address(),
  subaccount: fields.uint(MAX_UINT32),
  action: fields.bytes(1, MAX_ACTION_BYTES),
})

/** What the last block left, in the order in which it was queued. */
export const readQueue = (state: StateReader): readonly QueuedAction[] => {
  const value = state.value(CLOB_ACCOUNT, QUEUE_KEY)
  if (value === undefined) return []
  return RlpReader.list(value, 'queue of contracts').rest(MAX_QUEUED, (list) => list.record(readEntry))
}

export const writeQueue = (state: StateWriter, queue: readonly QueuedAction[]): void =>
  state.setValue(CLOB_ACCOUNT, QUEUE_KEY, queue.length === 0 ? undefined : encodeRlp(queue.map(itemsOf)))

export const readQueuedTotals = (state: StateReader): QueuedTotals => {
  const value = state.value(CLOB_ACCOUNT, QUEUED_KEY)
  if (value === undefined) return { count: 0, weight: 0 }
  return RlpReader.list(value, 'count of what contracts queued').whole((fields) => ({
    count: fields.uint(MAX_QUEUED),
    weight: fields.uint(MAX_QUEUE_WEIGHT),
  }))
}

/** Writes an entry behind those that the running block has: `totals` are with it. */
export const writeQueued = (state: StateWriter, { count, weight }: QueuedTotals, entry: QueuedAction): void => {
  state.setValue(CLOB_ACCOUNT, queuedKey(count - 1), encodeRlp(itemsOf(entry)))
  state.setValue(CLOB_ACCOUNT, QUEUED_KEY, encodeRlp([uint(count), uint(weight)]))
}

/** Takes all that the running block queued, in its order. */
const takeQueued = (state: StateWriter): readonly QueuedAction[] => {
  const { count } = readQueuedTotals(state)
  if (count === 0) return []
  const queue = Array.from({ length: count }, (_, place) => {
    const key = queuedKey(place)
    const value = state.value(CLOB_ACCOUNT, key)
    invariant(value !== undefined, 'an action of a contract is not in the state')
    state.setValue(CLOB_ACCOUNT, key, undefined)
    return RlpReader.list(value, 'action of a contract').whole(readEntry)
  })
  state.setValue(CLOB_ACCOUNT, QUEUED_KEY, undefined)
  return queue
}

/** Runs at the end of a block: what it queued becomes the queue. The step of the block took the one before. */
export const collectQueued = (state: StateWriter): void => {
  const queue = takeQueued(state)
  if (queue.length > 0) writeQueue(state, queue)
}

/** Ends a block whose queue no step will ever run, as those of a simulation: the next one has all of the room again. */
export const dropQueued = (state: StateWriter): void => void takeQueued(state)

/** What contracts had queued, of the genesis. */
import { create, toBinary, toJson } from '@bufbuild/protobuf'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { failAt } from '../../../core/parse.ts'
import { clob, clobTx } from '../../../proto/index.ts'
import { MAX_QUEUE_WEIGHT, MAX_QUEUED, type QueuedAction } from '../domain/queue.ts'
import { queuedForm } from '../forms/owner.ts'
import { decodeAction } from '../orders/decode-action.ts'
import { weightOf } from '../orders/phase-and-weight.ts'
import { type ListForm, parseList } from './fields.ts'

const QUEUE: ListForm<typeof clob.QueuedActionSchema, QueuedAction> = {
  schema: clob.QueuedActionSchema,
  most: MAX_QUEUED,
  parse: ({ owner, subaccount, action }, path) => {
    if (action === undefined) return failAt(`${path}.action`, 'is missing')
    const bytes = toBinary(clobTx.ActionSchema, action)
    // It must be statically valid, as it was when it was queued.
    decodeAction(bytes)
    return { owner: parseAccountAddress(owner), subaccount, action: bytes }
  },
}

/** Throws genesis/1. */
export const parseQueue = (value: unknown, path: string): readonly QueuedAction[] => {
  const queue = parseList(value, path, QUEUE)
  const weight = weightOf(queue.map(({ action }) => decodeAction(action)))
  return weight <= MAX_QUEUE_WEIGHT ? queue : failAt(path, `weighs ${weight}, more than ${MAX_QUEUE_WEIGHT}`)
}

export const formatQueued = (queued: QueuedAction): unknown => {
  const message = create(clob.QueuedActionSchema, queuedForm(queued))
  return toJson(clob.QueuedActionSchema, message, { useProtoFieldName: true })
}

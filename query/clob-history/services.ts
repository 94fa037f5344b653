/** What workers answer of the order book, from its history and from stored blocks. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { decodeRequest } from '../../modules/handlers.ts'
import { clobBatches, clobHistory } from '../../proto/index.ts'
import type { Questions } from '../../app/ports.ts'
import type { ChainView } from '../chain-view.ts'
import { answerHistory, HISTORY_SERVICE } from './answer.ts'
import { batchOf } from './batch.ts'

const { batch } = clobBatches.Batches.method
const BATCH = `/${clobBatches.Batches.typeName}/${batch.name}`

export const isOfHistory = (path: string): boolean => path.startsWith(HISTORY_SERVICE) || path === BATCH

/** Answers a path that {@link isOfHistory} knows. Throws grpc codes. */
export const historyAnswer = (view: ChainView, { path, data, waiting }: Questions['native']): Uint8Array => {
  const request = Buffer.from(data, 'base64')
  if (path === BATCH) {
    const { height } = decodeRequest(batch.input, request)
    return toBinary(batch.output, create(batch.output, batchOf(view, height)))
  }
  const context = { state: view.stateAt(view.head), height: view.head, chainId: view.parameters.chainId }
  const order =
    waiting === undefined ? undefined : fromBinary(clobHistory.HistoricalOrderSchema, Buffer.from(waiting, 'base64'))
  const more = { waiting: order, interrupt: view.interrupt }
  return answerHistory(view.reader.store, context, path, request, more)
}

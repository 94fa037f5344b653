/** Native answers that hold a whole block: megabytes, the same for everybody. */
import { type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { cometQuery, txService } from '../../proto/index.ts'
import { methodPath } from './services.ts'

/** Characters of a request whose answer is shared. */
const MAX_REQUEST = 64

const { method } = cometQuery.Service
const LATEST_BLOCK = methodPath(method.getLatestBlock)
const INPUTS: ReadonlyMap<string, DescMessage> = new Map<string, DescMessage>([
  [LATEST_BLOCK, method.getLatestBlock.input],
  [methodPath(method.getBlockByHeight), method.getBlockByHeight.input],
  [methodPath(txService.Service.method.getBlockWithTxs), txService.Service.method.getBlockWithTxs.input],
])

/** The same request without fields that nobody knows, for a question about a whole block: it has one spelling, and one answer. */
export const plainRequest = (path: string, request: Uint8Array): Uint8Array => {
  const input = INPUTS.get(path)
  if (input === undefined) return request
  try {
    return toBinary(input, fromBinary(input, request, { readUnknownFields: false }))
  } catch {
    // The application says what is wrong with it.
    return request
  }
}

/** Names such an answer; undefined for one that is none. `data` is the request in base64, `head` the height that is shown as the newest. */
export const wholeBlockKey = (path: string, data: string, head: number): string | undefined => {
  if (!INPUTS.has(path) || data.length > MAX_REQUEST) return undefined
  return path === LATEST_BLOCK ? `${path} ${head}` : `${path} ${data}`
}

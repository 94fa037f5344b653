/** Native answers that hold a whole block: megabytes, the same for everybody. */
import { cometQuery, txService } from '../../proto/index.ts'
import { methodPath } from './services.ts'

/** Characters of a request whose answer is shared. */
const MAX_REQUEST = 64

const LATEST_BLOCK = methodPath(cometQuery.Service.method.getLatestBlock)
const WHOLE_BLOCKS: ReadonlySet<string> = new Set([
  LATEST_BLOCK,
  methodPath(cometQuery.Service.method.getBlockByHeight),
  methodPath(txService.Service.method.getBlockWithTxs),
])

/** Names such an answer; undefined for one that is none. `data` is the request in base64, `head` the height that is shown as the newest. */
export const wholeBlockKey = (path: string, data: string, head: number): string | undefined => {
  if (!WHOLE_BLOCKS.has(path) || data.length > MAX_REQUEST) return undefined
  return path === LATEST_BLOCK ? `${path} ${head}` : `${path} ${data}`
}

/** cosmos.tx.v1beta1.Service/GetBlockWithTxs: the transactions of a block that clients are shown, page by page. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { EMPTY_BYTES, readUint64, uint64ToBytes } from '../core/bytes.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import type { pagination, tx, txService } from '../proto/index.ts'
import type { Consensus } from '../app/environment.ts'
import { prunedHistory } from '../app/errors.ts'
import { type ShownTransaction, shownTransactions } from '../app/index/shown-transactions.ts'
import { decidedBlock } from './decided-block.ts'
import { ethereumTx, nativeTx } from './cosmos-tx.ts'
import type { ChainView } from './chain-view.ts'

const MAX_PAGE = 100
/** A key is the offset where the next page begins. */
const KEY_BYTES = 8

interface Bounds {
  readonly offset: number
  readonly limit: number
  readonly reverse: boolean
}

/** Throws grpc/3. */
const readBounds = (request: pagination.PageRequest | undefined): Bounds => {
  const { key = EMPTY_BYTES, offset = 0n, limit = 0n, reverse = false } = request ?? {}
  if (limit > MAX_PAGE) throw queryRefusal('invalidArgument', `a page has at most ${MAX_PAGE} transactions`)
  if (key.length > 0 && offset > 0n) {
    throw queryRefusal('invalidArgument', 'invalid request, either offset or key is expected, got both')
  }
  if (key.length !== 0 && key.length !== KEY_BYTES) throw queryRefusal('invalidArgument', 'the key is of no page')
  const begin = key.length === 0 ? Number(offset) : readUint64(key)
  return { offset: begin, limit: Number(limit) || MAX_PAGE, reverse }
}

/** Throws grpc/3, and query/8 for a block that is not here any more. */
export const blockTransactions = async (
  environment: Consensus,
  view: ChainView,
  { height, pagination: page }: txService.GetBlockWithTxsRequest,
): Promise<MessageInitShape<typeof txService.GetBlockWithTxsResponseSchema>> => {
  if (height < 1n || height > view.head) {
    throw queryRefusal(
      'invalidArgument',
      `requested height ${height} but height must not be less than 1 or greater than the current height ${view.head}`,
    )
  }
  const { offset, limit, reverse } = readBounds(page)
  // What it says decides which thread makes the answer: nothing that takes long comes before.
  const { blockId, block } = await decidedBlock(environment, view, Number(height))
  const all = shownTransactions(view.reader, Number(height))
  if (all === undefined) throw prunedHistory()
  if (offset > 0 && offset >= all.length) {
    const text = `out of range: cannot paginate ${all.length} txs with offset ${offset} and limit ${limit}`
    throw queryRefusal('invalidArgument', text)
  }
  const end = offset + limit
  const show = ({ raw, ethereumIndex }: ShownTransaction): tx.Tx => {
    // Its sender is stored beside it, and need not be recovered.
    const signed = ethereumIndex === undefined ? undefined : view.reader.transaction(Number(height), ethereumIndex)
    return signed === undefined ? nativeTx(raw) : ethereumTx(signed)
  }
  const txs = (reverse ? all.toReversed() : all).slice(offset, end).map(show)
  const nextKey = end < all.length ? uint64ToBytes(end) : EMPTY_BYTES
  return { txs, blockId, block, pagination: { nextKey, total: BigInt(all.length) } }
}

/** Results of many transactions as items of one record, written into one buffer: a full block has tens of thousands. */
import { uint32ToBytes } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { Room } from '../../core/room.ts'
import { BackwardWriter } from '../../proto/backward-writer.ts'
import { execTxResultRoom, writeExecTxResult } from '../../proto/encode-exec-tx-result.ts'
import type { TransactionResult } from '../ports.ts'
import { encodeItemsHead, itemsHeadBytes } from '../records/records.ts'

export interface PlacedResult {
  /** Place among all transactions of the block. */
  readonly index: number
  /** Left out where nothing is found by it. */
  readonly hash?: Hash
  readonly result: TransactionResult
}

/** The bytes of an index and a hash. */
const MAX_HEAD_BYTES = 4 + 32

/** Records are made in it, one after another. */
const room = new Room(1024 * 1024)

/** Items of index(4), hash(32) where there is one, and ExecTxResult. Valid until the next call. */
export const encodeResultItems = (results: readonly PlacedResult[]): Uint8Array => {
  const writer = new BackwardWriter(
    results.reduce(
      (sum, { result }) => sum + MAX_HEAD_BYTES + execTxResultRoom(result),
      itemsHeadBytes(results.length),
    ),
    room,
  )
  const starts: number[] = []
  for (let at = results.length - 1; at >= 0; at--) {
    const each = results[at]
    if (each === undefined) continue
    // Counted from the end, for that is where it is written from.
    starts.push(writer.written)
    writeExecTxResult(writer, each.result)
    if (each.hash !== undefined) writer.raw(each.hash)
    writer.raw(uint32ToBytes(each.index))
  }
  const { written } = writer
  writer.raw(encodeItemsHead(starts.reverse().map((start) => written - start)))
  return writer.finish()
}

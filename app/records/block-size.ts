/** The size of an Ethereum block, which is that of its RLP. */
import { encodedLength, type RlpInput } from '../../core/rlp.ts'

const listHeaderLength = (payload: number): number => {
  if (payload < 56) return 1
  let bytes = 1
  for (let rest = payload; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

/** Length of the RLP of a block: header, transactions (typed ones as byte strings), no uncles, `withdrawals`. */
export const blockSizeBytes = (
  encodedHeader: Uint8Array,
  raws: readonly Uint8Array[],
  withdrawals: readonly RlpInput[] = [],
): number => {
  let transactions = 0
  for (const raw of raws) transactions += (raw[0] as number) >= 0xc0 ? raw.length : encodedLength(raw)
  const lists = listHeaderLength(transactions) + transactions + 1 + encodedLength(withdrawals)
  const payload = encodedHeader.length + lists
  return listHeaderLength(payload) + payload
}

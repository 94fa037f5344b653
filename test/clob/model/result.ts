/** ClobResult in protobuf, by hand: ascending fields, shortest varints, no default values. */
import type { ActionOutcome } from './actions.ts'
import { rlpNumber } from './records.ts'

const varint = (value: bigint): string => {
  let [hex, rest] = ['', value]
  while (rest >= 128n) {
    hex += Number((rest & 127n) | 128n)
      .toString(16)
      .padStart(2, '0')
    rest >>= 7n
  }
  return hex + Number(rest).toString(16).padStart(2, '0')
}

const VARINT = 0n
const BYTES = 2n
const tag = (field: bigint, type: bigint): string => varint(field * 8n + type)
const numberField = (field: bigint, value: bigint): string => (value === 0n ? '' : tag(field, VARINT) + varint(value))
const bytesField = (field: bigint, hex: string): string => tag(field, BYTES) + varint(BigInt(hex.length / 2)) + hex

/** Hexadecimal. `codeNumber` is the table of codes; `records` the hash of the transaction's records. */
export const encodeModelResult = (
  actions: readonly ActionOutcome[],
  records: string,
  codeNumber: (word: string) => number,
): string => {
  const results = actions.map(({ code, seq, lots, quote }) => {
    // An integer in RLP without its header is one in big-endian without leading zeros.
    const bytes = rlpNumber(quote)
    const fields = [numberField(1n, BigInt(codeNumber(code))), numberField(2n, seq), numberField(3n, lots)]
    return bytesField(1n, fields.join('') + (bytes === '' ? '' : bytesField(4n, bytes)))
  })
  return results.join('') + bytesField(2n, records)
}

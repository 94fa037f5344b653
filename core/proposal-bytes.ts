/**
 * Bytes that a transaction of this length takes of max_tx_bytes: the field's tag, the length as a varint, and itself
 * (CometBFT's types.ComputeProtoSizeForTxs).
 */
export const proposalBytes = (length: number): number => {
  let varint = 1
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 128)) varint++
  return 1 + varint + length
}

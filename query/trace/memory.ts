/** A piece of a program's memory as geth's tracers copy it. */
/** geth pads what lies behind the memory up to this much. */
const MAX_PADDING_BYTES = 1_048_576n

/** Undefined where geth's tracers give up. */
export const paddedMemory = (memory: Uint8Array, offset: bigint, size: bigint): Uint8Array | undefined => {
  // Both are cut to 64 bits with a sign.
  const [start, length] = [BigInt.asIntN(64, offset), BigInt.asIntN(64, size)]
  if (start < 0n || length < 0n) return undefined
  const end = start + length
  if (end - BigInt(memory.length) > MAX_PADDING_BYTES) return undefined
  const piece = new Uint8Array(Number(length))
  if (start < memory.length) piece.set(memory.subarray(Number(start), Number(end)))
  return piece
}

/** EIP-2124 and EIP-6122: four bytes that tell the genesis and the forks that a chain has passed. */
import { concatBytes, uint64ToBytes } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToHex, type Hex } from '../core/hex.ts'

/** IEEE 802.3, least significant bit first. */
const POLYNOMIAL = 0xedb8_8320

const crc32 = (bytes: Uint8Array): number => {
  let sum = 0xffff_ffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? POLYNOMIAL : 0)
  }
  return (sum ^ 0xffff_ffff) >>> 0
}

/** `forks` are the seconds of those after the genesis block up to the one asked about, ascending, each once. */
export const forkId = (genesisHash: Hash, forks: readonly number[]): Hex => {
  const sum = crc32(concatBytes(genesisHash, ...forks.map((timestamp) => uint64ToBytes(timestamp))))
  return bytesToHex(uint64ToBytes(sum).subarray(4))
}

/** Receipts: what a transaction did, their RLP for the receipts root, and the logs bloom (Yellow Paper 4.3.1). */
import { bigintToBytes, concatBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { encodeRlp } from '../../core/rlp.ts'
import type { Address } from '../../core/address.ts'
import type { Log } from '../../evm/engine.ts'

export interface Receipt {
  /** Transaction type (EIP-2718). */
  readonly type: number
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly contractAddress: Address | undefined
  /** Index in the block of the first log. */
  readonly firstLogIndex: number
  readonly logs: readonly Log[]
}

const addToBloom = (bloom: Uint8Array, item: Uint8Array): void => {
  const hash = keccak256(item)
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047
    const at = 255 - (bit >> 3)
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
  }
}

export const logsBloom = (logs: readonly Log[]): Uint8Array => {
  const bloom = new Uint8Array(256)
  for (const log of logs) {
    addToBloom(bloom, log.address)
    for (const topic of log.topics) addToBloom(bloom, topic)
  }
  return bloom
}

/** The bloom of several blooms. */
export const mergeBlooms = (blooms: readonly Uint8Array[]): Uint8Array => {
  const out = new Uint8Array(256)
  for (const bloom of blooms) for (let i = 0; i < 256; i++) out[i] = (out[i] as number) | (bloom[i] as number)
  return out
}

/** The form that the receipts root commits to (EIP-2718, EIP-658). */
export const encodeReceipt = (receipt: Receipt, bloom: Uint8Array): Uint8Array => {
  const payload = encodeRlp([
    receipt.succeeded ? Uint8Array.of(1) : new Uint8Array(0),
    bigintToBytes(receipt.cumulativeGasUsed),
    bloom,
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
  ])
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload)
}

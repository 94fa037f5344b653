/** Receipts: what a transaction did, their RLP for the receipts root, and the logs bloom (Yellow Paper 4.3.1). */
import { bigintToBytes, bytesToKey } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { encodeEnvelope } from '../../core/rlp.ts'
import type { Address } from '../../core/address.ts'
import type { Log } from '../../evm/engine.ts'
import { BoundedCache } from '../../store/cache.ts'

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

const ADDRESS_BYTES = 20
const TOPIC_BYTES = 32

/** Bytes of all addresses, topics and data. */
export const countLogBytes = (receipts: readonly Pick<Receipt, 'logs'>[]): number => {
  let bytes = 0
  for (const { logs } of receipts) {
    for (const { topics, data } of logs) bytes += ADDRESS_BYTES + TOPIC_BYTES * topics.length + data.length
  }
  return bytes
}

/** Items whose places are remembered: tokens, their events and whoever uses them come again and again. */
const KNOWN_ITEMS = 32_768
const known = new BoundedCache<number>(KNOWN_ITEMS)

/** The three bits that an item sets, 11 bits each in one number. */
const bloomBits = (item: Uint8Array): number => {
  const key = bytesToKey(item)
  const held = known.get(key)
  if (held !== undefined) return held
  const hash = keccak256(item)
  let bits = 0
  for (let i = 0; i < 6; i += 2) bits = bits * 2_048 + ((((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2_047)
  known.set(key, bits)
  return bits
}

const addToBloom = (bloom: Uint8Array, item: Uint8Array): void => {
  for (let bits = bloomBits(item), i = 0; i < 3; i++, bits = Math.floor(bits / 2_048)) {
    const bit = bits % 2_048
    const at = 255 - (bit >> 3)
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
  }
}

/** The bloom of most transactions. Nobody writes to a bloom that is made. */
const EMPTY_BLOOM = new Uint8Array(256)

export const logsBloom = (logs: readonly Log[]): Uint8Array => {
  if (logs.length === 0) return EMPTY_BLOOM
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
export const encodeReceipt = (
  receipt: Pick<Receipt, 'type' | 'succeeded' | 'cumulativeGasUsed' | 'logs'>,
  bloom: Uint8Array,
): Uint8Array =>
  encodeEnvelope(receipt.type, [
    receipt.succeeded ? Uint8Array.of(1) : new Uint8Array(0),
    bigintToBytes(receipt.cumulativeGasUsed),
    bloom,
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
  ])

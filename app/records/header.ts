/** Ethereum block headers: fields, RLP and hash (Yellow Paper 4.4, EIPs 1559, 4399, 4788, 4844, 4895, 7685). */
import type { Address } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, EMPTY_BYTES } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH, type Hash, keccak256, sha256, ZERO_HASH } from '../../core/hash.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'

export interface Header {
  readonly parentHash: Hash
  readonly miner: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  readonly number: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Seconds. */
  readonly timestamp: number
  /** CometBFT's hash of the block; empty in block 0. */
  readonly extraData: Uint8Array
  readonly mixHash: Hash
  readonly baseFeePerGas: bigint
  /** What only simulated blocks have: in those of the chain there are no withdrawals, no blobs, and no beacon chain. */
  readonly withdrawalsRoot?: Hash
  readonly blobGasUsed?: bigint
  readonly excessBlobGas?: bigint
  readonly parentBeaconBlockRoot?: Hash
}

export const EMPTY_BLOOM = new Uint8Array(256)
export const BLOCK_NONCE = new Uint8Array(8)
/** Root of no withdrawals (EIP-4895). */
export const WITHDRAWALS_ROOT = EMPTY_TRIE_ROOT
/** Commitment to no requests (EIP-7685). */
export const REQUESTS_HASH: Hash = sha256(EMPTY_BYTES)
export const PARENT_BEACON_BLOCK_ROOT = ZERO_HASH

export const encodeHeader = (header: Header): Uint8Array =>
  encodeRlp([
    header.parentHash,
    EMPTY_UNCLES_HASH,
    header.miner,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    EMPTY_BYTES, // difficulty
    bigintToBytes(BigInt(header.number)),
    bigintToBytes(header.gasLimit),
    bigintToBytes(header.gasUsed),
    bigintToBytes(BigInt(header.timestamp)),
    header.extraData,
    header.mixHash,
    BLOCK_NONCE,
    bigintToBytes(header.baseFeePerGas),
    header.withdrawalsRoot ?? WITHDRAWALS_ROOT,
    bigintToBytes(header.blobGasUsed ?? 0n),
    bigintToBytes(header.excessBlobGas ?? 0n),
    header.parentBeaconBlockRoot ?? PARENT_BEACON_BLOCK_ROOT,
    REQUESTS_HASH,
  ])

/** The inverse of {@link encodeHeader}, for headers of this chain. */
export const decodeHeader = (bytes: Uint8Array): Header => {
  const fields = decodeRlp(bytes) as Uint8Array[]
  const field = (index: number): Uint8Array => (fields[index] ?? EMPTY_BYTES).slice()
  const number = (index: number): number => Number(bytesToBigint(field(index)))
  return {
    parentHash: field(0),
    miner: field(2),
    stateRoot: field(3),
    transactionsRoot: field(4),
    receiptsRoot: field(5),
    logsBloom: field(6),
    number: number(8),
    gasLimit: bytesToBigint(field(9)),
    gasUsed: bytesToBigint(field(10)),
    timestamp: number(11),
    extraData: field(12),
    mixHash: field(13),
    baseFeePerGas: bytesToBigint(field(15)),
  }
}

export const hashHeader = (encoded: Uint8Array): Hash => keccak256(encoded)

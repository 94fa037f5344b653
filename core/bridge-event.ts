/**
 * An event of the bridge's contract on an external Ethereum chain, and the hash that validators attest:
 * `Bridge(uint256 indexed id, uint256 amount, address from, bytes accAddress, bytes data)`.
 */
import { bigintToBytes, padLeft, uint32ToBytes, uint64ToBytes } from './bytes.ts'
import { keccak256 } from './hash.ts'

/** The contract that is watched. */
export interface BridgeContract {
  /** Chain ID of the external chain (EIP-155). */
  readonly chainId: bigint
  /** 20 bytes. */
  readonly address: Uint8Array
}

/** An event in a finalized block of the external chain. */
export interface BridgeEvent {
  /** Counts from 0 without gaps. Below 2^32. */
  readonly id: number
  /** The amount in the smallest unit of the contract's token; below 2^256. */
  readonly amount: bigint
  /** 20 bytes: who called the contract. */
  readonly from: Uint8Array
  /** `accAddress` as it was given: 20 bytes where it names an account, and anything up to MAX_RECIPIENT_BYTES. */
  readonly recipient: Uint8Array
  /** keccak-256 of `data`. */
  readonly dataHash: Uint8Array
  /** Block of the external chain. */
  readonly externalHeight: bigint
}

/** A longer `accAddress` is cut to this length: it names no account at either. */
export const MAX_RECIPIENT_BYTES = 64

/** Ids are written in four bytes. */
export const MAX_EVENT_ID = 0xffff_ffff

/**
 * 32 bytes: keccak-256 of chain id (8 bytes), contract (20), id (4), amount (32), from (20), length of the recipient
 * (1), recipient, dataHash (32) and external height (8), numbers big endian. The hash is of one contract: an event of
 * another one has another hash.
 */
export const bridgeEventHash = (contract: BridgeContract, event: BridgeEvent): Uint8Array =>
  keccak256(
    uint64ToBytes(contract.chainId),
    contract.address,
    uint32ToBytes(event.id),
    padLeft(bigintToBytes(event.amount), 32),
    event.from,
    Uint8Array.of(event.recipient.length),
    event.recipient,
    event.dataHash,
    uint64ToBytes(event.externalHeight),
  )

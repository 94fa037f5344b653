/**
 * The first byte of a transaction on the wire tells its family. The order of a block is: the injected one (exactly
 * when the last commit carries vote extensions), order book, then Ethereum and native ones as the proposer likes.
 * docs/adr/012 has the table and its reasons.
 */
import { type Hash, keccak256, sha256 } from '../../core/hash.ts'

export type Family = 'ethereum' | 'native' | 'order-book' | 'injected' | 'unknown'

/** Marks the list of vote extensions that a proposer puts first. */
export const INJECTED_BYTE = 0x71
/** Marks an order-book transaction: the rest is a ClobTx. */
const ORDER_BOOK_BYTE = 0x70

/** The hash that a transaction is known by: Ethereum's, and of every other family CometBFT's. */
export const transactionHash = (raw: Uint8Array): Hash => (familyOf(raw) === 'ethereum' ? keccak256(raw) : sha256(raw))

export const familyOf = (raw: Uint8Array): Family => {
  const first = raw[0]
  if (first === undefined) return 'unknown'
  if (first >= 0xc0 || (first >= 1 && first <= 4)) return 'ethereum'
  // Field 1, length-delimited: body_bytes of a TxRaw.
  if (first === 0x0a) return 'native'
  if (first === ORDER_BOOK_BYTE) return 'order-book'
  if (first === INJECTED_BYTE) return 'injected'
  return 'unknown'
}

/** What the pool of orders holds at most, and for how long. docs/adr/066. */
import { HALF_OF_COMET } from '../pool/limits.ts'

/** The pool holds as many orders as CometBFT gossips: what it holds, others may hear of. */
export const MAX_POOLED_ORDERS = HALF_OF_COMET.transactions
/**
 * Owners without funds to trade have so many of them: votes look for the funds of each in every block, and attest none where a
 * market asks for `min_equity`.
 */
export const MAX_UNFUNDED_ORDERS = 2_000
/** The most bytes of all wire forms together. */
export const MAX_POOLED_ORDER_BYTES = 64 * 1024 * 1024
/** A body may be carried for three blocks, and so be needed for so long after its `good_til_block`. */
export const BLOCKS_KEPT_AFTER_END = 3
/** Votes for a block whose time a nonce still suits oblige the next one, and three more may carry the body. */
export const BLOCKS_NEEDED_AFTER_NONCE = 1 + BLOCKS_KEPT_AFTER_END
/** Hashes of orders that blocks took of late: as many as CometBFT's mempool knows as seen. */
export const MAX_REMEMBERED_ORDERS = 100_000
/** Signers by hash of orders that the pool does not hold: those of three of the greatest blocks. */
export const MAX_KNOWN_SIGNERS = 40_000
/** Hashes of orders whose signatures do not hold. */
export const MAX_KNOWN_FORGERIES = 20_000

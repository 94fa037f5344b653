/** What CometBFT's mempool is written to hold (config.toml): the pools offer it no more. */

/** The most transactions: CometBFT asks again of each after every block. */
export const COMET_MEMPOOL_TRANSACTIONS = 40_000
/** Hashes that it knows as seen: those that it holds, and those that blocks have taken out of late. */
export const COMET_MEMPOOL_CACHE = 100_000
/** The most bytes of all that it holds together. */
export const COMET_MEMPOOL_BYTES = 256 * 1024 * 1024
/**
 * What the order book may take of it, and what all other families together: a flood of the one would silence the other, for a
 * full mempool asks nobody.
 */
export const HALF_OF_COMET = {
  transactions: COMET_MEMPOOL_TRANSACTIONS / 2,
  bytes: COMET_MEMPOOL_BYTES / 2,
} as const

/** What CometBFT's mempool is written to hold (config.toml): the pool offers it no more. */

/** After every block it asks again of each. */
export const COMET_MEMPOOL_TRANSACTIONS = 40_000
/** Hashes that it knows as seen: those that it holds, and those that blocks have taken out of late. */
export const COMET_MEMPOOL_CACHE = 100_000

/** Bounds of a native transaction beside MAX_TRANSACTION_BYTES. */

/** Messages of one transaction. */
export const MAX_MESSAGES = 256
/** x/auth: max_memo_characters, which counts bytes. */
export const MAX_MEMO_BYTES = 256
/** x/auth: tx_sig_limit, the keys of all signers together, those of a multisig one by one. */
export const MAX_SIGNATURES = 7
/** Messages within messages: a proposal within a proposal takes two, for the Any around it is one. */
export const MAX_NESTING = 64
/** Coins of a fee: one is valid, more are read to be refused by name. */
export const MAX_FEE_COINS = 16
/** The SDK's bound of a gas limit. */
export const MAX_GAS_LIMIT = (1n << 63n) - 1n

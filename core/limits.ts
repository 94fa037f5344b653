/** Every input has a bound. These are the ones that more than one part of the node must agree on. */

/** Largest transaction on the wire in bytes, as geth's pool has it. */
export const MAX_TRANSACTION_BYTES = 131_072
/** Largest init code (EIP-3860) and largest contract (EIP-170). */
export const MAX_INIT_CODE_BYTES = 49_152
export const MAX_CODE_BYTES = 24_576
/** The least gas that an Ethereum transaction can ask for: with it no code runs. */
export const PLAIN_TRANSFER_GAS = 21_000
/** EIP-7825: the most gas that one transaction may ask for. */
export const MAX_TRANSACTION_GAS = 16_777_216n
/**
 * Most that a transaction within that gas can weigh (evm/weight.ts), in nanoseconds: the limit of a block is never below
 * it.
 */
export const MAX_TRANSACTION_WEIGHT = 1_400_000_000
/** EIP-7934: the largest RLP of an Ethereum block. */
export const MAX_BLOCK_RLP_BYTES = 8_388_608
/** Consensus parameters of a genesis of this chain. */
export const GENESIS_MAX_BLOCK_BYTES = 8_000_000
export const GENESIS_MAX_BLOCK_GAS = 1_000_000_000
/** Largest genesis file: an export of about a million accounts. InitChain carries it as one message. */
export const MAX_GENESIS_BYTES = 256 * 1024 * 1024
/** Candidates (proposals executed but not decided) kept at one height. */
export const MAX_CANDIDATES = 8
/** Largest question on the stream between gateway and application: a call with its overrides, in a WebSocket message of 32 MB. */
export const MAX_QUESTION_BYTES = 40 * 1024 * 1024
/** Largest query answer on the stream between gateway and application. */
export const MAX_STREAM_FRAME_BYTES = 64 * 1024 * 1024

/** Percentiles of one eth_feeHistory, as in geth. */
export const MAX_FEE_PERCENTILES = 100

/** Bounds of a native transaction beside MAX_TRANSACTION_BYTES: what is read of it at all, whatever the parameters say. */
import { AUTH_LIMITS } from '../../modules/auth/index.ts'

/** Messages of one transaction. */
export const MAX_MESSAGES = 256
/** Most of x/auth's max_memo_characters, which counts bytes. */
export const MAX_MEMO_BYTES = Number(AUTH_LIMITS.maxMemoCharacters)
/** Most of x/auth's tx_sig_limit: the keys of all signers together, those of a multisig one by one. */
export const MAX_SIGNATURES = Number(AUTH_LIMITS.txSigLimit)
/** A transaction of the SDK before protobuf, in JSON or binary: it is decoded for whoever asks. */
export const MAX_AMINO_BYTES = 32_768
/**
 * Fields of a transaction, those of messages within messages counted too: two bytes make a message of its own, which takes
 * half a microsecond to read. A MsgMultiSend of the greatest length has 8,000.
 */
export const MAX_FIELDS = 8_192
/** The same where somebody signs amino JSON, which takes three microseconds a field to print. */
export const MAX_AMINO_FIELDS = 2_048
/** Messages within messages: a proposal within a proposal takes two, for the Any around it is one. */
export const MAX_NESTING = 64
/**
 * What of a transaction is looked at as typed data: its bytes, and of its sign doc the values and how deep they lie. It is
 * more than a wallet shows, and little enough to be hashed for a signature that does not hold.
 */
export const MAX_TYPED_DATA_BYTES = 8_192
export const MAX_TYPED_DATA_VALUES = 400
export const MAX_TYPED_DATA_DEPTH = 12
/** Coins of a fee: one is valid, more are read to be refused by name. */
export const MAX_FEE_COINS = 16
/** The SDK's bound of a gas limit. */
export const MAX_GAS_LIMIT = (1n << 63n) - 1n

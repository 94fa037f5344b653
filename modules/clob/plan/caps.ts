/** How many bytes and attestations a vote extension and a block have for the order book. docs/clob-spec.md, Caps and shares. */

const KIB = 1_024
const MIB = 1_024 * KIB

const MIN_CAP_BYTES = 2 * KIB
const MAX_CAP_BYTES = 128 * KIB
/** What a budget can be at most. */
export const MAX_BUDGET_BYTES = MIB
/** The most bytes of the wire form, whatever the cap is. */
const MAX_ORDER_BYTES = 4 * KIB
const MAX_RESERVE_BYTES = KIB
/** Tags, lengths and signature of an injected vote whose extension fills the cap. */
const VOTE_OVERHEAD_BYTES = 74
/** The bytes of the injected transaction beside its votes: its byte, its version, its tag and its length in a block. */
const INJECTED_OVERHEAD_BYTES = 8
const MAX_SHARE_BYTES = 2 * MIB
/** What a proposer always has for its transactions. */
const PROPOSAL_BYTES = 3 * MIB
/** The largest transaction of another family, and 64 KiB. */
const OTHER_FAMILIES_BYTES = 192 * KIB
/** An id and at most two bytes of a step. */
const ATTESTATION_BYTES = 14
/** Version, tags, lengths, counts, first times, and the few steps of three bytes. */
const ATTESTATIONS_OVERHEAD_BYTES = 40

/** The longest extension of one validator, in bytes: a budget for the height that the whole set shares, clamped. */
export const capBytes = (budgetBytes: number, validators: number): number =>
  Math.min(MAX_CAP_BYTES, Math.max(MIN_CAP_BYTES, Math.floor(budgetBytes / Math.max(1, validators))))

/**
 * The most bytes of the wire form: CheckTx and ExtendVote take no longer one, so that an extension always has room for
 * one body.
 */
export const longestClobTx = (cap: number): number => Math.min(MAX_ORDER_BYTES, Math.floor(cap / 2))

/** The most that the injected transaction takes of a block, with its tag and length. */
export const injectedBytes = (validators: number, cap: number): number =>
  validators * (cap + VOTE_OVERHEAD_BYTES) + INJECTED_OVERHEAD_BYTES

/** What orders may take of a block, with their tags and lengths. 0 where the set is so large that its votes leave nothing. */
export const shareBytes = (validators: number, cap: number): number =>
  Math.max(0, Math.min(MAX_SHARE_BYTES, PROPOSAL_BYTES - OTHER_FAMILIES_BYTES - injectedBytes(validators, cap)))

/** Bytes of an extension that attestations and bodies leave to the bridge. */
export const bridgeReserveBytes = (cap: number): number => Math.min(MAX_RESERVE_BYTES, Math.floor(cap / 8))

/** How many attestations fit for sure beside bodies of `bodyBytes`, which are counted with their tags and lengths. */
export const attestationsThatFit = (cap: number, bodyBytes: number): number =>
  Math.max(0, Math.floor((cap - bridgeReserveBytes(cap) - bodyBytes - ATTESTATIONS_OVERHEAD_BYTES) / ATTESTATION_BYTES))

/** Bounds of governance, and what its messages cost beside the flat price of a message. */

/** Messages of one proposal. */
export const MAX_PROPOSAL_MESSAGES = 32
/** Bytes of the metadata of a proposal or a vote, and of a title (the SDK's MaxMetadataLen). */
export const MAX_METADATA_BYTES = 255
/** Bytes of a summary (the SDK's 40 times the metadata). */
export const MAX_SUMMARY_BYTES = 40 * MAX_METADATA_BYTES
/** Denominations of a deposit, and of all deposits on one proposal together: other parameters may accept others. */
export const MAX_DEPOSIT_COINS = 16
/** Accounts with a deposit on one proposal: all are paid back in one block. More can be added to a deposit that is there. */
export const MAX_DEPOSITORS = 500

/**
 * Work of the hook in one block: a bonded validator that a tally reads, a coin of a deposit, or a thousand of gas that
 * messages consume is one, a proposal or a message of one 100. The proposal that passes the bound is still done; the
 * rest waits for the next block.
 */
export const WORK_PER_BLOCK = 5_000
export const WORK_PER_PROPOSAL = 100
/** So much gas that messages consume is one unit of work. */
export const GAS_PER_WORK = 1_000n
/** Votes and counts of votings that ended, deleted in one block. */
export const CLEARED_PER_BLOCK = 2_000
/** Proposals looked at in one block, of either queue. */
export const MAX_ENDED_PER_BLOCK = 50
/** What the messages of a passed proposal may consume together beside their flat prices, or it fails. */
export const GAS_PER_PROPOSAL = 30_000_000n
/** Characters of an error that a failed proposal keeps. */
export const MAX_FAILED_REASON = 1_000

/** A byte of a stored proposal (the SDK: three times 30). */
export const GAS_PER_PROPOSAL_BYTE = 90n
/** An account's first vote in a voting: a block will delete it. */
export const GAS_PER_VOTE = 20_000n
/** A count that follows a delegation of a voter: two values are read, and one written. */
export const GAS_PER_COUNT = 3_000n
/** A voting in which a delegator has a vote, looked at when its delegation changes. */
export const GAS_PER_VOTING = 500n
/** A coin of an account's deposit: it will be sent back by a block. */
export const GAS_PER_DEPOSIT = 20_000n

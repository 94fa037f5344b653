/** What the state knows of the way back of one contract. What belongs to a contract stays its own when governance names another one. */

/** How far the way back of a contract is. */
export interface WayBack {
  /** Number of its withdrawals: the next one has this id. */
  readonly size: number
  /** Credited deposits of the contract less its withdrawals. It holds at least as much, for refused deposits stay there. */
  readonly held: bigint
  /** The day of the last withdrawal, in days since 1970, and what was withdrawn on it. */
  readonly day: number
  readonly dayAmount: bigint
  /** The block of the last withdrawal, and how many were in it. */
  readonly height: number
  readonly inBlock: number
  /** The nonce of the set that signs roots; 0 before the first one. */
  readonly setNonce: number
}

export const NO_WAY_BACK: WayBack = {
  size: 0,
  held: 0n,
  day: 0,
  dayAmount: 0n,
  height: 0,
  inBlock: 0,
  setNonce: 0,
}

export interface StoredWithdrawal {
  readonly sender: Uint8Array
  /** The account on the external chain: 20 bytes. */
  readonly recipient: Uint8Array
  readonly amount: bigint
  readonly denom: string
  readonly height: number
}

/** A validator that signs for a contract. */
export interface Member {
  /** The address of its key of the bridge. */
  readonly address: Uint8Array
  readonly power: bigint
  /** CometBFT's address of the validator. */
  readonly validator: Uint8Array
}

/** Signatures of 65 bytes by the place of the member in its set. */
export type MemberSignatures = ReadonlyMap<number, Uint8Array>

export interface StoredSet {
  readonly nonce: number
  /** The members by ascending address of their keys. */
  readonly members: readonly Member[]
  /** More than this power must sign. */
  readonly threshold: bigint
  /** The block that made it. */
  readonly height: number
  /** The signatures of the members of the set before. */
  readonly signatures: MemberSignatures
}

/** A root that the members of a set sign. */
export interface StoredRoot {
  readonly root: Uint8Array
  /** Withdrawals below this number are under it. */
  readonly size: number
  /** The nonce of the set. */
  readonly nonce: number
  readonly signatures: MemberSignatures
}

export interface Roots {
  /** What is signed now. It is not replaced before it is signed, or another set follows: else withdrawals in every block would leave none signed. */
  readonly pending: StoredRoot | undefined
  /** The last one that was signed by more than the threshold. */
  readonly signed: StoredRoot | undefined
}

/** What the contract takes at most (NatBridge.sol). */
export const MAX_MEMBERS = 256
/** Ids are places in a tree of 2^32. */
export const MAX_WITHDRAWALS = 2 ** 32

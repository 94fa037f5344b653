/** What validators say with their votes, as modules get it: before the hooks of the block whose last commit holds the votes. */
import type { BridgeEvent } from '../core/bridge-event.ts'
import type { CommitVote } from './module.ts'

/** What a validator saw on a bridged chain. */
export interface BridgeAttestation {
  readonly id: number
  /** 32 bytes. */
  readonly hash: Uint8Array
}

/** A signature of a validator's key of the bridge, over what the state has validators sign. */
export interface BridgeSignature {
  /** 32 bytes. */
  readonly digest: Uint8Array
  /** 65 bytes: r, s and the parity of y. */
  readonly signature: Uint8Array
}

/** The sections of a vote extension. Each belongs to one module, which alone knows what its bytes mean. */
export interface VoteExtension {
  /** The attestations of the order book. */
  readonly attestations: Uint8Array
  /** Wire forms of orders. */
  readonly bodies: readonly Uint8Array[]
  readonly bridge: readonly BridgeAttestation[]
  /** Contents of events that others lack. */
  readonly bridgeContents: readonly BridgeEvent[]
  readonly bridgeSignatures: readonly BridgeSignature[]
}

/** A COMMIT vote of the last commit. */
export interface AttestedVote extends CommitVote {
  /** Whether the vote stands there with its signature, whatever it says. */
  readonly isSigned: boolean
  /** Undefined where it says nothing, or says it in another encoding than the one that there is. */
  readonly extension: VoteExtension | undefined
}

/** What the last commit attests. Signatures are verified, and those with one hold over two thirds of `totalPower`. */
export interface Attestations {
  /** Height that the votes are for: that of the block before. */
  readonly height: number
  /** The votes in the order of the commit. */
  readonly votes: readonly AttestedVote[]
  /** The power of the whole set, absent validators too. */
  readonly totalPower: bigint
}

/** What the evidence module needs of the rest of the node. */
import type { StateReader } from '../../store/state.ts'
import type { ModuleContext } from '../module.ts'
import type { StakeReader } from '../stake.ts'

/** Slashing stands behind it. */
export interface DoubleSignPort {
  /** Undefined without a signing info. */
  isTombstoned(state: StateReader, consensusAddress: Uint8Array): boolean | undefined
  /** Takes the fraction of a double sign from what stood behind it at `infractionHeight`. */
  slash(context: ModuleContext, consensusAddress: Uint8Array, infractionHeight: number, power: bigint): void
  /** It is not jailed yet. */
  jail(context: ModuleContext, consensusAddress: Uint8Array): void
  jailUntil(context: ModuleContext, consensusAddress: Uint8Array, timeNs: bigint): void
  tombstone(context: ModuleContext, consensusAddress: Uint8Array): void
}

/** Evidence that is older in blocks and in time has no consequence: the stake behind it may be gone. */
export interface EvidenceMaxAge {
  readonly blocks: number
  readonly durationNs: bigint
}

export interface EvidenceDependencies {
  readonly stake: Pick<StakeReader, 'validatorByConsensusAddress'>
  readonly doubleSigns: DoubleSignPort
  /** The greatest age, from the consensus parameters. */
  evidenceMaxAge(state: StateReader): EvidenceMaxAge
}

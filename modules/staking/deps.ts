/** What staking needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { StateReader } from '../../store/state.ts'
import type { Ledger } from '../ledger.ts'
import type { StakingHooks } from '../stake.ts'

/** What moving stake needs: the ledger, and the modules that follow along. */
export interface StakingPorts {
  readonly ledger: Ledger
  /** Asked at each use: the modules that listen are made after this one. They are called in their order. */
  stakingHooks(): readonly StakingHooks[]
}

export interface StakingDependencies extends StakingPorts {
  mayCreateValidator(state: StateReader, operator: Address): boolean
  /** Why so many validators cannot vote with the consensus parameters as they are; undefined when they can. */
  maxValidatorsFault(state: StateReader, maxValidators: number): string | undefined
  /** What an operator reads who may not (sdk/4), without the closing word. */
  readonly admissionRefusal: string
}

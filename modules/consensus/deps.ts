/** What the consensus module needs of the rest of the node. */
import type { StateReader } from '../../store/state.ts'

export interface ConsensusDependencies {
  /** How long a stake can still be slashed for what its validator did, in nanoseconds: staking's unbonding time. */
  unbondingTimeNs(state: StateReader): bigint
  /** Most validators that staking lets into the set. */
  maxValidators(state: StateReader): number
}

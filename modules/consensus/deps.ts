/** What the consensus module needs of the rest of the node. */
import type { StakeReader } from '../stake.ts'

export interface ConsensusDependencies {
  /** How long a stake can still be slashed for what its validator did, and most validators that may be in the set. */
  readonly stake: Pick<StakeReader, 'unbondingTimeNs' | 'maxValidators'>
}

/** What slashing needs of the rest of the node: staking stands behind both. */
import type { StakePunisher, StakeReader } from '../stake.ts'

export interface SlashingDependencies {
  readonly stake: Pick<StakeReader, 'validator' | 'validatorByConsensusAddress' | 'bondedValidators' | 'delegation'>
  readonly punisher: StakePunisher
}

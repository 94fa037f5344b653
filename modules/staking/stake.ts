/** Staking as the other modules use it. */
import type { StakePunisher, StakeReader } from '../stake.ts'
import { readDelegation, readDelegationsOf, readDelegationsTo } from './keeper/delegations.ts'
import type { StakingPorts } from './deps.ts'
import { readStakingParams } from './keeper/params.ts'
import { readPools } from './keeper/pools.ts'
import { jail, slash, unjail } from './slash.ts'
import {
  readBondedValidators,
  readValidator,
  readValidatorByConsensusAddress,
  readValidators,
} from './keeper/validators.ts'

export const createStake = (ports: StakingPorts): StakeReader & StakePunisher => ({
  bondDenomination: (state) => readStakingParams(state).bondDenomination,
  unbondingTimeNs: (state) => readStakingParams(state).unbondingTimeNs,
  maxValidators: (state) => readStakingParams(state).maxValidators,
  validator: readValidator,
  validatorByConsensusAddress: readValidatorByConsensusAddress,
  validators: (state) => readValidators(state),
  bondedValidators: (state) => readBondedValidators(state, readStakingParams(state).maxValidators),
  totalBondedTokens: (state) => readPools(state).bonded,
  delegation: readDelegation,
  delegationsOf: (state, delegator) => readDelegationsOf(state, delegator),
  delegationsTo: (state, operator) => readDelegationsTo(state, operator),
  slash: (context, consensusAddress, infractionHeight, power, fraction) =>
    slash(ports, context, consensusAddress, infractionHeight, power, fraction),
  jail,
  unjail,
})

/** Validators and their stake. See README.md. */
export type { CommissionRates } from './commission.ts'
export type { StakingDependencies } from './deps.ts'
export { parseStakingGenesis, type StakingGenesis } from './genesis.ts'
export { type GenesisValidator, genesisValidator } from './genesis-validator.ts'
export { BONDED_POOL_ADDRESS, NOT_BONDED_POOL_ADDRESS, STAKING_ADDRESS } from './keys.ts'
export { createStakingModule, type StakingModule } from './module.ts'
export { DEFAULT_STAKING_PARAMS, readStakingParams, type StakingParams } from './params.ts'
export { historicalValidators } from './wire.ts'

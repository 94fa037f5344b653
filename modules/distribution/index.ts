/** Fees and rewards for stakers, and the community pool. See README.md. */
export type { DistributionDependencies } from './deps.ts'
export { DISTRIBUTION_ERRORS } from './errors.ts'
export { parseDistributionGenesis } from './genesis.ts'
export { DISTRIBUTION_ADDRESS } from './keeper.ts'
export { createDistributionModule, type DistributionModule } from './module.ts'

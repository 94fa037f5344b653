/** Fees and rewards for stakers, and the community pool. See README.md. */
export type { DistributionDependencies } from './deps.ts'
export { parseDistributionGenesis } from './genesis/parse.ts'
export { DISTRIBUTION_ADDRESS } from './keeper.ts'
export { fundCommunityPool } from './messages/fund-community-pool.ts'
export { distributionModule } from './module.ts'

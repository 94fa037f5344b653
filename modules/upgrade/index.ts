/** Planned changes of the binary. See README.md. */
export { formatUpgradeNeeded } from './apply.ts'
export type { UpgradeDependencies } from './deps.ts'
export { parseUpgradeGenesis } from './genesis.ts'
export { UPGRADE_ADDRESS } from './keeper.ts'
export { upgradeModule } from './module.ts'
export type { Plan } from './plan.ts'

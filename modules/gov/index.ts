/** Governance. See README.md. */
export type { GovDependencies, PackedMessage, PreparedMessage } from './deps.ts'
export { parseGovGenesis } from './genesis/genesis.ts'
export { GOV_ADDRESS } from './keys.ts'
export { govModule } from './module.ts'
export { DEFAULT_PARAMS as DEFAULT_GOV_PARAMS, type GovParams } from './params.ts'

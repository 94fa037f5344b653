/** Accounts as native clients see them. See README.md. */
export type { AuthDependencies, AuthParameters, ModuleAccountInfo } from './deps.ts'
export { parseAuthGenesis } from './genesis.ts'
export { AUTH_ADDRESS, type PackedPublicKey, readPublicKey, writePublicKey } from './keeper.ts'
export { createAuthModule } from './module.ts'

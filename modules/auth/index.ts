/** Accounts as native clients see them. See README.md. */
export type { AuthDependencies, ModuleAccountInfo } from './deps.ts'
export { parseAuthGenesis } from './genesis.ts'
export {
  AUTH_ADDRESS,
  type PackedPublicKey,
  readAuthParameters,
  readPublicKey,
  writeAuthParameters,
  writePublicKey,
} from './keeper.ts'
export { authModule } from './module.ts'
export { AUTH_LIMITS, type AuthParameters, DEFAULT_AUTH_PARAMETERS } from './params.ts'

/** Liveness of validators, and the punishment of those that fail. See README.md. */
export type { SlashingDependencies } from './deps.ts'
export type { DoubleSignPunisher } from './double-sign.ts'
export { SLASHING_ERRORS } from './errors.ts'
export { parseSlashingGenesis } from './genesis.ts'
export { readSigningInfo, SLASHING_ADDRESS, type SigningInfo } from './keeper.ts'
export { createSlashingModule, type SlashingModule } from './module.ts'
export { DEFAULT_PARAMS as DEFAULT_SLASHING_PARAMS, type SlashingParams } from './params.ts'

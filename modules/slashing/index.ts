/** Liveness of validators, and the punishment of those that fail. See README.md. */
export type { SlashingDependencies } from './deps.ts'
export { createDoubleSignPunisher, type DoubleSignPunisher } from './double-sign.ts'
export { parseSlashingGenesis } from './genesis.ts'
export { readSigningInfo, SLASHING_ADDRESS, type SigningInfo } from './keeper/signing-info.ts'
export { slashingModule } from './module.ts'
export { DEFAULT_PARAMS as DEFAULT_SLASHING_PARAMS, type SlashingParams } from './params.ts'

/** Inflation, off by default. See README.md. */
export type { MintDependencies } from './deps.ts'
export { parseMintGenesis } from './genesis.ts'
export { MINT_ADDRESS } from './keeper.ts'
export { mintModule } from './module.ts'

/** How much a block may make every node work. See README.md. */
export { parseWeightGenesis } from './genesis.ts'
export { readMaxBlockWeight } from './keeper.ts'
export { weightModule } from './module.ts'
export { DEFAULT_MAX_BLOCK_WEIGHT } from './params.ts'

/** A sum that everybody may add to. See README.md. */
export { readTotal } from './keeper.ts'
export { tallyModule } from './module.ts'

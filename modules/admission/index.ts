/** Who may create a validator. See README.md. */
export { type AdmissionGenesis, parseAdmissionGenesis } from './genesis.ts'
export { mayCreateValidator } from './keeper.ts'
export { createAdmissionModule } from './module.ts'

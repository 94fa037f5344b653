/** Who may create a validator. See README.md. */
export { type AdmissionGenesis, parseAdmissionGenesis } from './genesis.ts'
export { mayCreateValidator } from './keeper.ts'
export { admissionModule } from './module.ts'

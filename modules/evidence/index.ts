/** Proven misbehavior of validators. See README.md. */
export type { DoubleSignPort, EvidenceDependencies, EvidenceMaxAge } from './deps.ts'
export { parseEvidenceGenesis } from './genesis.ts'
export { EVIDENCE_ADDRESS } from './keeper.ts'
export { evidenceModule } from './module.ts'

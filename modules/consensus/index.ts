/** Consensus parameters and validator sets. See README.md. */
export {
  CONSENSUS_ADDRESS,
  readConsensusParameters,
  readValidators,
  readValidatorSets,
  writeConsensusParameters,
  writeValidatorSets,
} from './keeper.ts'
export { createConsensusModule } from './module.ts'
export { checkConsensusParameters, type ConsensusParameters, DEFAULT_CONSENSUS_PARAMETERS } from './params.ts'
export { applyUpdates, rotateSets, type ValidatorSetEntry } from './validator-sets.ts'

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
export { type ConsensusGenesis, parseConsensusGenesis, sameValidators } from './genesis.ts'
export { applyUpdates, rotateSets, setsAtStart, type ValidatorSetEntry } from './validator-sets.ts'

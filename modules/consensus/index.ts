/** Consensus parameters and validator sets. See README.md. */
export {
  CONSENSUS_ADDRESS,
  mostValidators,
  readConsensusParameters,
  readValidators,
  readValidatorSets,
  writeConsensusParameters,
  writeValidatorSets,
} from './keeper.ts'
export type { ConsensusDependencies } from './deps.ts'
export { consensusModule } from './module.ts'
export { roomFault } from './room.ts'
export {
  checkConsensusParameters,
  type ConsensusParameters,
  DEFAULT_CONSENSUS_PARAMETERS,
  encodeConsensusParameters,
} from './params.ts'
export { type ConsensusGenesis, parseConsensusGenesis, sameValidators } from './genesis.ts'
export { applyUpdates, rotateSets, setsAtStart, type ValidatorSetEntry } from './validator-sets.ts'

import { consensusQuery, consensusTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { formatConsensusGenesis, initConsensus, parseConsensusGenesis } from './genesis.ts'
import type { ConsensusDependencies } from './deps.ts'
import { CONSENSUS_ERRORS } from './errors.ts'
import { readConsensusParameters, readValidatorSets } from './keeper.ts'
import { createUpdateParams } from './messages/update-params.ts'
import { checkConsensusParameters } from './params.ts'
import { CONSENSUS_QUERIES } from './queries.ts'

/**
 * Parameters and validators come with InitChain and are written by the block lifecycle before the modules' genesis
 * runs; an export brings the sets of its height, the newest of which are InitChain's validators. Validator updates of the other modules are rotated in by the lifecycle
 * too, for only it sees them all.
 */
export const consensusModule: ModuleDefinition<ConsensusDependencies> = {
  name: 'consensus',
  services: [consensusQuery.Query, consensusTx.Msg],
  errors: CONSENSUS_ERRORS,
  parseGenesis: (genesis) => parseConsensusGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initConsensus(dependencies, state, parseConsensusGenesis(genesis)),
    exportGenesis: ({ state }) => formatConsensusGenesis(readValidatorSets(state)),
    messages: [createUpdateParams(dependencies)],
    queries: CONSENSUS_QUERIES,
    invariants: [
      {
        name: 'consensus/parameters-valid',
        check: ({ state }) => {
          checkConsensusParameters(readConsensusParameters(state))
          return undefined
        },
      },
      {
        name: 'consensus/validators-not-empty',
        check: ({ state }) =>
          readValidatorSets(state).every((entry) => entry.validators.length > 0)
            ? undefined
            : 'a validator set is empty',
      },
    ],
  }),
}

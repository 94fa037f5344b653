import { parseObject } from '../../core/parse.ts'
import type { Module } from '../module.ts'
import { readConsensusParameters, readValidatorSets } from './keeper.ts'
import { checkConsensusParameters } from './params.ts'

/**
 * The app_state member is empty: parameters and validators come with InitChain and are written by the block
 * lifecycle before the modules' genesis runs. Validator updates of the other modules are rotated in by the lifecycle
 * too, for only it sees them all.
 */
export const createConsensusModule = (): Module => ({
  name: 'consensus',
  initGenesis: (_context, genesis) => {
    parseObject(genesis ?? {}, 'app_state.consensus', [])
  },
  exportGenesis: () => ({}),
  messages: [],
  queries: [],
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
        readValidatorSets(state).every((entry) => entry.validators.length > 0) ? undefined : 'a validator set is empty',
    },
  ],
})

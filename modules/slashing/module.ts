import { slashingQuery, slashingTx } from '../../proto/index.ts'
import type { ModuleHooks } from '../hooks.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import type { SlashingDependencies } from './deps.ts'
import { SLASHING_ERRORS } from './errors.ts'
import { exportSlashingGenesis, initSlashingGenesis, parseSlashingGenesis } from './genesis.ts'
import { createHooks } from './hooks.ts'
import { slashingInvariants } from './invariants.ts'
import { createUnjail } from './messages/unjail.ts'
import { updateParams } from './messages/update-params.ts'
import { slashingQueries } from './queries.ts'
import { countVotes } from './votes.ts'

export interface SlashingParts extends ModuleParts {
  readonly hooks: ModuleHooks & { readonly staking: StakingHooks }
}

export const slashingModule: ModuleDefinition<SlashingDependencies, SlashingParts> = {
  name: 'slashing',
  services: [slashingQuery.Query, slashingTx.Msg],
  errors: SLASHING_ERRORS,
  parseGenesis: (genesis) => parseSlashingGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initSlashingGenesis(state, parseSlashingGenesis(genesis)),
    exportGenesis: exportSlashingGenesis,
    hooks: {
      beginBlock: { phase: 'punish', run: (context) => countVotes(context, dependencies) },
      staking: createHooks(dependencies),
    },
    messages: [createUnjail(dependencies), updateParams],
    queries: slashingQueries,
    invariants: slashingInvariants(dependencies),
  }),
}

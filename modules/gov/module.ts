/** Governance: proposals that token holders fund and vote on, and that act with the authority of the module. */
import { govBeta, govBetaQuery, govBetaTx, govQuery, govTx } from '../../proto/index.ts'
import type { ModuleHooks } from '../hooks.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import type { GovDependencies } from './deps.ts'
import { GOV_ERRORS } from './errors.ts'
import { endBlock } from './end-block.ts'
import { exportGovGenesis, initGovGenesis, parseGovGenesis } from './genesis/genesis.ts'
import { createHooks } from './hooks.ts'
import { govInvariants } from './invariants.ts'
import { govLegacyQueries } from './queries/v1beta1.ts'
import { createCancelProposal } from './messages/cancel-proposal.ts'
import { createDeposits } from './messages/deposit.ts'
import { createExecLegacyContent } from './messages/exec-legacy-content.ts'
import { createLegacySubmitProposal, createSubmitProposal } from './messages/submit-proposal.ts'
import { createUpdateParams } from './messages/update-params.ts'
import { createVotes } from './messages/vote.ts'
import { govQueries } from './queries/v1.ts'

export interface GovParts extends ModuleParts {
  readonly hooks: ModuleHooks & { readonly staking: StakingHooks }
}

export const govModule: ModuleDefinition<GovDependencies, GovParts> = {
  name: 'gov',
  permissions: ['burner'],
  services: [govQuery.Query, govBetaQuery.Query, govTx.Msg, govBetaTx.Msg],
  packed: [govBeta.file_cosmos_gov_v1beta1_gov],
  errors: GOV_ERRORS,
  parseGenesis: (genesis) => parseGovGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initGovGenesis(dependencies, state, parseGovGenesis(genesis)),
    exportGenesis: ({ state }) => exportGovGenesis(state),
    hooks: {
      endBlock: { phase: 'decide', run: (context) => endBlock(dependencies, context) },
      staking: createHooks(dependencies),
    },
    messages: [
      createSubmitProposal(dependencies),
      createLegacySubmitProposal(dependencies),
      ...createDeposits(dependencies),
      ...createVotes(dependencies),
      createCancelProposal(dependencies),
      createExecLegacyContent(),
      createUpdateParams(),
    ],
    queries: [...govQueries(dependencies), ...govLegacyQueries(dependencies)],
    invariants: govInvariants(dependencies),
  }),
}

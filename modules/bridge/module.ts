import { bridgeQuery, bridgeTx } from '../../proto/index.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import { acknowledge } from './acknowledge.ts'
import { creditDue } from './credit.ts'
import type { BridgeDependencies } from './deps.ts'
import { BRIDGE_ERRORS } from './errors.ts'
import { exportBridgeGenesis, initBridgeGenesis, parseBridgeGenesis } from './genesis/index.ts'
import { bridgeInvariants } from './invariants.ts'
import { bridgeMessages } from './messages/index.ts'
import { bridgeQueries } from './queries/index.ts'
import { keyHooks } from './register-key.ts'
import { collectSignatures, renewSigning } from './sign.ts'

export const bridgeModule: ModuleDefinition<BridgeDependencies, ModuleParts> = {
  name: 'bridge',
  permissions: ['minter', 'burner'],
  services: [bridgeQuery.Query, bridgeTx.Msg],
  errors: BRIDGE_ERRORS,
  countedLists: [
    'open',
    'decided',
    'refused',
    'former',
    'minted',
    'burned',
    'keys',
    'way_back',
    'withdrawals',
    'signing_sets',
    'unheard',
  ],
  parseGenesis: (genesis) => parseBridgeGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state, chainId }, genesis) => initBridgeGenesis(state, parseBridgeGenesis(genesis), chainId),
    exportGenesis: ({ state }) => exportBridgeGenesis(state),
    hooks: {
      attested: (context, attestations) => {
        acknowledge(context, attestations)
        collectSignatures(context, attestations)
      },
      beginBlock: { phase: 'issue', run: (context) => creditDue(context, dependencies) },
      endBlock: { phase: 'decide', run: (context) => renewSigning(context, dependencies) },
      staking: keyHooks,
    },
    messages: bridgeMessages(dependencies),
    queries: bridgeQueries(dependencies),
    invariants: bridgeInvariants(dependencies),
  }),
}

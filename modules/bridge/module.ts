import { bridgeQuery, bridgeTx } from '../../proto/index.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import { acknowledge } from './acknowledge.ts'
import { creditDue } from './credit.ts'
import type { BridgeDependencies } from './deps.ts'
import { BRIDGE_ERRORS } from './errors.ts'
import { exportBridgeGenesis, initBridgeGenesis, parseBridgeGenesis } from './genesis.ts'
import { bridgeInvariants } from './invariants.ts'
import { bridgeMessages } from './messages.ts'
import { bridgeQueries } from './queries.ts'

export const bridgeModule: ModuleDefinition<BridgeDependencies, ModuleParts> = {
  name: 'bridge',
  permissions: ['minter'],
  services: [bridgeQuery.Query, bridgeTx.Msg],
  errors: BRIDGE_ERRORS,
  countedLists: ['open', 'decided', 'refused', 'former', 'minted'],
  parseGenesis: (genesis) => parseBridgeGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initBridgeGenesis(state, parseBridgeGenesis(genesis)),
    exportGenesis: ({ state }) => exportBridgeGenesis(state),
    hooks: {
      attested: acknowledge,
      beginBlock: { phase: 'issue', run: (context) => creditDue(context, dependencies) },
    },
    messages: bridgeMessages(dependencies),
    queries: bridgeQueries(dependencies),
    invariants: bridgeInvariants(dependencies),
  }),
}

import { erc20Query, erc20Tx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import type { Erc20Dependencies } from './deps.ts'
import { ERC20_ERRORS } from './errors.ts'
import { parseErc20Genesis } from './genesis/parse.ts'
import { exportErc20, initErc20 } from './genesis/state.ts'
import { erc20Invariants } from './invariants.ts'
import { erc20Messages } from './messages/index.ts'
import { erc20Queries } from './queries.ts'

export const erc20Module: ModuleDefinition<Erc20Dependencies> = {
  name: 'erc20',
  permissions: ['minter', 'burner'],
  services: [erc20Query.Query, erc20Tx.Msg],
  errors: ERC20_ERRORS,
  countedLists: ['tokens', 'views', 'allowances'],
  parseGenesis: (genesis) => parseErc20Genesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initErc20(state, parseErc20Genesis(genesis), dependencies),
    exportGenesis: ({ state }) => exportErc20(state, dependencies),
    messages: erc20Messages(dependencies),
    queries: erc20Queries(dependencies),
    invariants: erc20Invariants(dependencies),
  }),
}

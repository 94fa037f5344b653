import { mintQuery, mintTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { mintProvisions } from './begin-block.ts'
import type { MintDependencies } from './deps.ts'
import { formatMintGenesis, parseMintGenesis } from './genesis.ts'
import { readMinter, readParams, writeMinter, writeParams } from './keeper.ts'
import { updateParams } from './messages/update-params.ts'
import { faultOfParams } from './params.ts'
import { mintQueries } from './queries.ts'

export const mintModule: ModuleDefinition<MintDependencies> = {
  name: 'mint',
  permissions: ['minter'],
  services: [mintQuery.Query, mintTx.Msg],
  parseGenesis: (genesis) => parseMintGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => {
      const { minter, params } = parseMintGenesis(genesis)
      writeParams(state, params)
      writeMinter(state, minter)
    },
    exportGenesis: ({ state }) => formatMintGenesis({ minter: readMinter(state), params: readParams(state) }),
    hooks: { beginBlock: { phase: 'issue', run: (context) => mintProvisions(context, dependencies) } },
    messages: [updateParams],
    queries: mintQueries,
    invariants: [{ name: 'mint/parameters-are-valid', check: ({ state }) => faultOfParams(readParams(state)) }],
  }),
}

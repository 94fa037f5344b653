import { clobMsg, clobQuery } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { rotateCaps } from './caps.ts'
import type { ClobDependencies } from './deps.ts'
import { CLOB_ERRORS } from './errors.ts'
import { exportClob } from './genesis/export.ts'
import { initClob } from './genesis/init.ts'
import { parseClobGenesis } from './genesis/parse.ts'
import { clobInvariants } from './invariants.ts'
import { collectQueued } from './keeper/index.ts'
import { clobMessages } from './messages/index.ts'
import { CLOB_QUERIES } from './queries.ts'

export const clobModule: ModuleDefinition<ClobDependencies> = {
  name: 'clob',
  services: [clobQuery.Query, clobMsg.Msg],
  errors: CLOB_ERRORS,
  countedLists: [
    'markets',
    'orders',
    'accounts',
    'agents',
    'nonces',
    'marks',
    'volumes',
    'carried',
    'queue',
    'caps',
    'proposers',
  ],
  parseGenesis: (genesis) => parseClobGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state, height }, genesis) => initClob(state, height + 1, parseClobGenesis(genesis), dependencies),
    exportGenesis: ({ state }) => exportClob(state),
    hooks: {
      // The book ends its block behind all modules that change parameters and sets.
      endBlock: {
        phase: 'price',
        run: ({ state, height }) => {
          rotateCaps(state, height, dependencies)
          collectQueued(state)
        },
      },
    },
    messages: clobMessages(dependencies),
    queries: CLOB_QUERIES,
    invariants: clobInvariants(dependencies),
  }),
}

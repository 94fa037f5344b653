import type { ModuleDefinition } from '../../../modules/module.ts'
import { Msg, Query } from '../../fixtures/tally/tally_pb.ts'
import { exportTally, initTally, parseTallyGenesis } from './genesis.ts'
import { readMaxStep, readTotal, writeTotal } from './keeper.ts'
import { TALLY_MESSAGES } from './messages.ts'
import { maxStepFault } from './params.ts'
import { TALLY_QUERIES } from './queries.ts'

export const tallyModule: ModuleDefinition<unknown> = {
  name: 'tally',
  services: [Query, Msg],
  parseGenesis: (genesis) => parseTallyGenesis(genesis),
  create: () => ({
    initGenesis: ({ state }, genesis) => initTally(state, parseTallyGenesis(genesis)),
    exportGenesis: ({ state }) => exportTally(state),
    hooks: {
      endBlock: {
        phase: 'decide',
        run: ({ state }) => {
          const { total, blocks } = readTotal(state)
          writeTotal(state, { total, blocks: blocks + 1n })
        },
      },
    },
    messages: TALLY_MESSAGES,
    queries: TALLY_QUERIES,
    invariants: [{ name: 'tally/parameters-valid', check: ({ state }) => maxStepFault(readMaxStep(state)) }],
  }),
}

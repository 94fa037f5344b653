import { weightQuery, weightTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { parseWeightGenesis } from './genesis.ts'
import { readMaxBlockWeight, writeMaxBlockWeight } from './keeper.ts'
import { WEIGHT_MESSAGES } from './messages.ts'
import { maxBlockWeightFault } from './params.ts'
import { WEIGHT_QUERIES } from './queries.ts'

export const weightModule: ModuleDefinition<unknown> = {
  name: 'weight',
  services: [weightQuery.Query, weightTx.Msg],
  parseGenesis: (genesis) => parseWeightGenesis(genesis),
  create: () => ({
    initGenesis: ({ state }, genesis) => {
      writeMaxBlockWeight(state, parseWeightGenesis(genesis).maxBlockWeight)
    },
    exportGenesis: ({ state }) => ({ params: { max_block_weight: readMaxBlockWeight(state).toString() } }),
    messages: WEIGHT_MESSAGES,
    queries: WEIGHT_QUERIES,
    invariants: [
      {
        name: 'weight/limit-in-range',
        check: ({ state }) => maxBlockWeightFault(readMaxBlockWeight(state)),
      },
    ],
  }),
}

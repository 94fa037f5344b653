/** The read-only gRPC methods of nat.weight.v1.Query. */
import { weightQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { readMaxBlockWeight } from './keeper.ts'

export const WEIGHT_QUERIES: readonly QueryHandler[] = [
  handleQuery(weightQuery.Query.method.params, ({ state }) => ({
    params: { maxBlockWeight: BigInt(readMaxBlockWeight(state)) },
  })),
]

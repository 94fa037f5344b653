/** The read-only gRPC methods of nat.tally.v1.Query. */
import { handleQuery } from '../../../modules/handlers.ts'
import type { QueryHandler } from '../../../modules/module.ts'
import { Query } from '../../fixtures/tally/tally_pb.ts'
import { readTotal } from './keeper.ts'

export const TALLY_QUERIES: readonly QueryHandler[] = [handleQuery(Query.method.total, ({ state }) => readTotal(state))]

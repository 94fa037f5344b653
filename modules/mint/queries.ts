/** The read-only gRPC methods of cosmos.mint.v1beta1.Query. */
import { utf8ToBytes } from '../../core/bytes.ts'
import { mintQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryContext, QueryHandler } from '../module.ts'
import { readMinter, readParams } from './keeper.ts'

const { method } = mintQuery.Query

const paramsOf = ({ state }: QueryContext) => {
  const params = readParams(state)
  return {
    params: {
      mintDenom: params.mintDenom,
      inflationRateChange: params.inflationRateChange.toString(),
      inflationMax: params.inflationMax.toString(),
      inflationMin: params.inflationMin.toString(),
      goalBonded: params.goalBonded.toString(),
      blocksPerYear: params.blocksPerYear,
      maxSupply: params.maxSupply.toString(),
    },
  }
}

/** Both decimals are bytes that hold the text of an integer, as the SDK encodes them. */
export const mintQueries: readonly QueryHandler[] = [
  handleQuery(method.params, paramsOf),
  handleQuery(method.inflation, ({ state }) => ({ inflation: utf8ToBytes(readMinter(state).inflation.toString()) })),
  handleQuery(method.annualProvisions, ({ state }) => ({
    annualProvisions: utf8ToBytes(readMinter(state).annualProvisions.toString()),
  })),
]

/** The read-only gRPC methods of cosmos.evm.feemarket.v1.Query. */
import { toDecimal } from '../../core/decimal.ts'
import { feeMarketQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { readBaseFee, readFeeMarket } from './keeper.ts'
import { toWire } from './wire.ts'

const { method } = feeMarketQuery.Query

export const FEE_MARKET_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.params, ({ state }) => ({ params: toWire(readFeeMarket(state)) })),
  // The answer is the base fee of the next block: it is what a transaction that is sent now must pay.
  handleQuery(method.baseFee, ({ state }) => ({ baseFee: toDecimal(readBaseFee(state)).toString() })),
  handleQuery(method.blockGas, () => {
    throw queryRefusal(
      'unimplemented',
      'the gas of a block is not in the state: its header has that of the Ethereum transactions, block_results all of it',
    )
  }),
]

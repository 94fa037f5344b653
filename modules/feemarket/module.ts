import { feeMarketQuery, feeMarketTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { nextBaseFee } from './base-fee.ts'
import { readFeeMarket, writeBaseFee, writeFeeMarket } from './keeper.ts'
import { UPDATE_PARAMS } from './messages/update-params.ts'
import { formatFeeMarketGenesis, parseFeeMarketGenesis } from './genesis.ts'
import { FEE_MARKET_QUERIES } from './queries.ts'

export const feeMarketModule: ModuleDefinition<unknown> = {
  name: 'feemarket',
  services: [feeMarketQuery.Query, feeMarketTx.Msg],
  parseGenesis: (genesis) => parseFeeMarketGenesis(genesis),
  create: () => ({
    initGenesis: ({ state }, genesis) => {
      writeFeeMarket(state, parseFeeMarketGenesis(genesis))
    },
    exportGenesis: ({ state }) => formatFeeMarketGenesis(readFeeMarket(state)),
    hooks: {
      endBlock: {
        phase: 'price',
        run: ({ state, pricedGas, gasLimit }) => {
          const market = readFeeMarket(state)
          const next = nextBaseFee(market.baseFeeAnat, pricedGas, gasLimit, market)
          if (next !== market.baseFeeAnat) writeBaseFee(state, next)
        },
      },
    },
    messages: [UPDATE_PARAMS],
    queries: FEE_MARKET_QUERIES,
    invariants: [
      {
        name: 'feemarket/base-fee-at-least-minimum',
        check: ({ state }) => {
          const { baseFeeAnat, minBaseFeeAnat } = readFeeMarket(state)
          return baseFeeAnat >= minBaseFeeAnat ? undefined : `base fee ${baseFeeAnat} is below ${minBaseFeeAnat}`
        },
      },
    ],
  }),
}

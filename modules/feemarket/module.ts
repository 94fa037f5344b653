import type { StateReader } from '../../store/state.ts'
import type { Module } from '../module.ts'
import { nextBaseFee } from './base-fee.ts'
import { readFeeMarket, writeBaseFee, writeFeeMarket } from './keeper.ts'
import { formatFeeMarketGenesis, parseFeeMarketGenesis } from './params.ts'

/** What the fee market needs of the rest of the node. */
export interface FeeMarketDependencies {
  /** Gas limit of a block: the consensus parameter max_gas. */
  blockGasLimit(state: StateReader): bigint
}

export const createFeeMarketModule = (dependencies: FeeMarketDependencies): Module => ({
  name: 'feemarket',
  initGenesis: ({ state }, genesis) => {
    writeFeeMarket(state, parseFeeMarketGenesis(genesis))
  },
  exportGenesis: ({ state }) => formatFeeMarketGenesis(readFeeMarket(state)),
  endBlock: ({ state, gasUsed }) => {
    const market = readFeeMarket(state)
    const next = nextBaseFee(market.baseFeeAnat, gasUsed, dependencies.blockGasLimit(state), market)
    if (next !== market.baseFeeAnat) writeBaseFee(state, next)
    return []
  },
  messages: [],
  queries: [],
  invariants: [
    {
      name: 'feemarket/base-fee-at-least-minimum',
      check: ({ state }) => {
        const { baseFeeAnat, minBaseFeeAnat } = readFeeMarket(state)
        return baseFeeAnat >= minBaseFeeAnat ? undefined : `base fee ${baseFeeAnat} is below ${minBaseFeeAnat}`
      },
    },
  ],
})

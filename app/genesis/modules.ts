/** The modules of the chain in the order in which their hooks run, each with what it needs of the others. */
import type { Address } from '../../core/address.ts'
import { createBankModule } from '../../modules/bank/index.ts'
import { createConsensusModule, readConsensusParameters } from '../../modules/consensus/index.ts'
import { createFeeMarketModule } from '../../modules/feemarket/index.ts'
import type { Module } from '../../modules/module.ts'
import { scanAccountsAt } from '../../store/scan-at.ts'
import type { KeyValueStore } from '../../store/store.ts'

function* balancesAt(
  store: KeyValueStore,
  height: number,
  committedHeight: () => number,
): Generator<readonly [Address, bigint]> {
  for (const [address, { balance }] of scanAccountsAt({ store, height, committedHeight })) yield [address, balance]
}

/** `committedHeight` is left out where a context is always that of the head. */
export const createModules = (store: KeyValueStore, committedHeight?: () => number): readonly Module[] => [
  createConsensusModule(),
  createBankModule({
    accounts: ({ height }) => balancesAt(store, height, committedHeight ?? (() => height)),
  }),
  createFeeMarketModule({ blockGasLimit: (state) => BigInt(readConsensusParameters(state).block.maxGas) }),
]

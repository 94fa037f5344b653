/** The modules of the chain in the order in which their hooks run, each with what it needs of the others. */
import { accountKey, prefixEnd } from '../../store/keys.ts'
import { createBankModule, type Coin, readBalances } from '../../modules/bank/index.ts'
import { createConsensusModule, readConsensusParameters } from '../../modules/consensus/index.ts'
import { createFeeMarketModule } from '../../modules/feemarket/index.ts'
import type { Module, QueryContext } from '../../modules/module.ts'
import type { KeyValueStore } from '../../store/store.ts'

const PAGE = 1_000
const MAX_COINS = 1_000
const ACCOUNT_TAG = accountKey(new Uint8Array(0))

/** Every account of the latest committed state with its balances, page by page in the order of addresses. */
function* holders(
  store: KeyValueStore,
  context: QueryContext,
): Generator<{ readonly address: Uint8Array; readonly coins: readonly Coin[] }> {
  const end = prefixEnd(ACCOUNT_TAG)
  let from = ACCOUNT_TAG
  for (;;) {
    const page = store.scan('state', { gte: from, ...(end === undefined ? {} : { lt: end }), limit: PAGE })
    for (const [key] of page) {
      const address = key.slice(ACCOUNT_TAG.length)
      const coins = readBalances(context.state, address, MAX_COINS)
      if (coins.length > 0) yield { address, coins }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    from = new Uint8Array([...last[0], 0])
  }
}

export const createModules = (store: KeyValueStore): readonly Module[] => [
  createConsensusModule(),
  createBankModule({ holders: (context) => holders(store, context) }),
  createFeeMarketModule({ blockGasLimit: (state) => BigInt(readConsensusParameters(state).block.maxGas) }),
]

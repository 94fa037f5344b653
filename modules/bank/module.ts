import { checksumAddress } from '../../core/address.ts'
import type { Module, QueryContext } from '../module.ts'
import { parseBankGenesis } from './genesis.ts'
import { mint, readBalances, readHolders, readSupplies } from './keeper.ts'
import { bankQueries } from './queries.ts'
import type { Coin } from './keeper.ts'
import type { Address } from '../../core/address.ts'

/** What the bank needs of the rest of the node. */
export interface BankDependencies {
  /** Every account of the EVM with its balances, for the export of a genesis and for invariants; not in a block. */
  holders(context: QueryContext): Iterable<{ readonly address: Address; readonly coins: readonly Coin[] }>
}

type Holder = { readonly address: Address; readonly coins: readonly Coin[] }

const MAX_COINS = 1_000

/** Who holds other denominations only has no account in the EVM. */
function* allHolders({ holders }: BankDependencies, context: QueryContext): Generator<Holder> {
  yield* holders(context)
  for (const address of readHolders(context.state)) {
    if (context.state.account(address) !== undefined) continue
    yield { address, coins: readBalances(context.state, address, MAX_COINS) }
  }
}

export const createBankModule = (dependencies: BankDependencies): Module => ({
  name: 'bank',
  initGenesis: ({ state }, genesis) => {
    for (const { address, coins } of parseBankGenesis(genesis).balances) {
      for (const coin of coins) if (coin.amount > 0n) mint(state, address, coin)
    }
  },
  exportGenesis: (context) => ({
    balances: [...allHolders(dependencies, context)].map(({ address, coins }) => ({
      address: checksumAddress(address),
      coins: coins.map(({ denom, amount }) => ({ denom, amount: amount.toString() })),
    })),
  }),
  messages: [],
  queries: bankQueries,
  invariants: [
    {
      name: 'bank/supply-is-sum-of-balances',
      check: (context) => {
        const sums = new Map<string, bigint>()
        for (const { coins } of allHolders(dependencies, context)) {
          for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
        }
        for (const { denom, amount } of readSupplies(context.state, 1_000)) {
          const sum = sums.get(denom) ?? 0n
          if (sum !== amount) return `supply of ${denom} is ${amount}, the balances sum to ${sum}`
          sums.delete(denom)
        }
        const [orphan] = sums.entries()
        return orphan === undefined || orphan[1] === 0n ? undefined : `${orphan[1]} ${orphan[0]} without a supply`
      },
    },
  ],
})

import { checksumAddress } from '../../core/address.ts'
import type { Module, QueryContext } from '../module.ts'
import { parseBankGenesis } from './genesis.ts'
import { mint, readSupplies } from './keeper.ts'
import { bankQueries } from './queries.ts'
import type { Coin } from './keeper.ts'
import type { Address } from '../../core/address.ts'

/** What the bank needs of the rest of the node. */
export interface BankDependencies {
  /** Every account with its balances, for the export of a genesis and for invariants; not for block execution. */
  holders(context: QueryContext): Iterable<{ readonly address: Address; readonly coins: readonly Coin[] }>
}

export const createBankModule = (dependencies: BankDependencies): Module => ({
  name: 'bank',
  initGenesis: ({ state }, genesis) => {
    for (const { address, coins } of parseBankGenesis(genesis).balances) {
      for (const coin of coins) if (coin.amount > 0n) mint(state, address, coin)
    }
  },
  exportGenesis: (context) => ({
    balances: [...dependencies.holders(context)].map(({ address, coins }) => ({
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
        for (const { coins } of dependencies.holders(context)) {
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

import { checksumAddress } from '../../core/address.ts'
import { bankQuery, bankTx } from '../../proto/index.ts'
import type { ModuleDefinition, ModuleParts, QueryContext } from '../module.ts'
import type { BankDependencies } from './deps.ts'
import { BANK_ERRORS } from './errors.ts'
import { formatSettings, parseBankGenesis, writeSettings } from './genesis.ts'
import type { Coin } from '../ledger.ts'
import { type Holder, mergeHolders, mint, readAllSupplies, readOtherHolders } from './keeper/balances.ts'
import { createMultiSend } from './messages/multi-send.ts'
import { createSend } from './messages/send.ts'
import { SET_SEND_ENABLED } from './messages/set-send-enabled.ts'
import { UPDATE_PARAMS } from './messages/update-params.ts'
import { bankQueries } from './queries.ts'

const formatCoin = ({ denom, amount }: Coin) => ({ denom, amount: amount.toString() })

function* formatSupplies(supplies: Iterable<Coin>) {
  for (const coin of supplies) yield formatCoin(coin)
}

function* formatHolders(holders: Iterable<Holder>) {
  for (const { address, coins } of holders) yield { address: checksumAddress(address), coins: coins.map(formatCoin) }
}

const create = (dependencies: BankDependencies): ModuleParts => {
  const holders = (context: QueryContext): Iterable<Holder> =>
    mergeHolders(dependencies.accounts(context), readOtherHolders(context.state))
  return {
    initGenesis: ({ state }, genesis) => {
      const parsed = parseBankGenesis(genesis)
      writeSettings(state, parsed)
      for (const { address, coins } of parsed.balances) {
        for (const coin of coins) if (coin.amount > 0n) mint(state, address, coin)
      }
    },
    exportGenesis: (context) => ({
      ...formatSettings(context.state),
      balances: formatHolders(holders(context)),
      supply: formatSupplies(readAllSupplies(context.state)),
    }),
    messages: [createSend(dependencies), createMultiSend(dependencies), UPDATE_PARAMS, SET_SEND_ENABLED],
    queries: bankQueries(dependencies),
    invariants: [
      {
        name: 'bank/supply-is-sum-of-balances',
        // The parser of the genesis has summed them, and there may be millions.
        isNotOfGenesis: true,
        check: (context) => {
          const sums = new Map<string, bigint>()
          for (const { coins } of holders(context)) {
            for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
          }
          for (const { denom, amount } of readAllSupplies(context.state)) {
            const sum = sums.get(denom) ?? 0n
            if (sum !== amount) return `supply of ${denom} is ${amount}, the balances sum to ${sum}`
            sums.delete(denom)
          }
          const [orphan] = sums.entries()
          return orphan === undefined || orphan[1] === 0n ? undefined : `${orphan[1]} ${orphan[0]} without a supply`
        },
      },
    ],
  }
}

export const bankModule: ModuleDefinition<BankDependencies> = {
  name: 'bank',
  services: [bankQuery.Query, bankTx.Msg],
  errors: BANK_ERRORS,
  countedLists: ['balances'],
  parseGenesis: (genesis) => parseBankGenesis(genesis),
  create,
}

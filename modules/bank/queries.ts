/** The read-only gRPC methods of cosmos.bank.v1beta1.Query. */
import type { Address } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import type { PageRequest } from '../../proto/gen/cosmos/base/query/v1beta1/pagination_pb.ts'
import { bankQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryContext, QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { checkDenom } from './denom.ts'
import type { BankDependencies } from './deps.ts'
import type { Coin } from '../ledger.ts'
import { readBalance, readBalances, readOtherHolders, readSupplies, readSupply } from './keeper.ts'
import { DENOM_METADATA } from './metadata.ts'

/** Coins read at once. */
const CHUNK = 1_000
/** Accounts that a search for the owners of a denomination looks at. */
const MAX_SEARCHED = 20_000

const parseOwner = (text: string): Address => {
  if (text === '') throw queryRefusal('invalidArgument', 'empty address string is not allowed')
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid address: ${error.message}`)
  }
}

const toCoin = ({ denom, amount }: Coin) => ({ denom, amount: amount.toString() })

function* readAll(read: (limit: number, start: string) => readonly Coin[], start: string): Generator<Coin, void> {
  for (let next = start; ; ) {
    const coins = read(CHUNK, next)
    yield* coins
    const last = coins.at(-1)
    if (last === undefined || coins.length < CHUNK) return
    next = `${last.denom}\0`
  }
}

/** One page of coins sorted by denomination; the key of the next page is its first denomination. */
const pageOfCoins = (page: PageRequest | undefined, read: (limit: number, start: string) => readonly Coin[]) => {
  const { items, pagination } = takePage(
    page,
    (start) => readAll(read, start === undefined ? '' : bytesToUtf8(start)),
    ({ denom }) => utf8ToBytes(denom),
  )
  return { coins: items.map(toCoin), pagination }
}

const balancesOf = ({ state }: QueryContext, text: string, page: PageRequest | undefined) => {
  const owner = parseOwner(text)
  const { coins, pagination } = pageOfCoins(page, (limit, start) => readBalances(state, owner, limit, start))
  return { balances: coins, pagination }
}

interface Owner {
  readonly address: Address
  readonly amount: bigint
}

const createOwners = (dependencies: BankDependencies) => {
  function* listOwners(context: QueryContext, denom: string, start: Address | undefined): Generator<Owner, void> {
    let searched = 0
    const searching = (): void => {
      if (++searched <= MAX_SEARCHED) return
      throw queryRefusal('invalidArgument', `more than ${MAX_SEARCHED} accounts to search: ask for smaller pages`)
    }
    if (denom === DENOMINATION) {
      for (const [address, amount] of dependencies.accounts(context, start)) {
        searching()
        if (amount > 0n) yield { address, amount }
      }
      return
    }
    for (const { address, coins } of readOtherHolders(context.state, start)) {
      searching()
      const coin = coins.find((each) => each.denom === denom)
      if (coin !== undefined) yield { address, amount: coin.amount }
    }
  }
  return (context: QueryContext, text: string, page: PageRequest | undefined) => {
    const denom = checkDenom(text)
    const { items, pagination } = takePage(
      page,
      (start) => listOwners(context, denom, start),
      ({ address }) => address,
    )
    const denomOwners = items.map(({ address, amount }) => ({
      address: encodeBech32(address),
      balance: toCoin({ denom, amount }),
    }))
    return { denomOwners, pagination }
  }
}

const metadataOf = (denom: string) => {
  const metadata = DENOM_METADATA.find(({ base }) => base === denom)
  if (metadata === undefined) {
    throw queryRefusal('notFound', `client metadata for denom ${denom.slice(0, 128)}`)
  }
  return { metadata }
}

export const bankQueries = (dependencies: BankDependencies): readonly QueryHandler[] => {
  const { method } = bankQuery.Query
  const owners = createOwners(dependencies)
  return [
    handleQuery(method.balance, ({ state }, request) => {
      const denom = checkDenom(request.denom)
      return { balance: toCoin({ denom, amount: readBalance(state, parseOwner(request.address), denom) }) }
    }),
    handleQuery(method.allBalances, (context, { address, pagination }) => balancesOf(context, address, pagination)),
    // Nothing is locked: what an account has it can spend.
    handleQuery(method.spendableBalances, (context, { address, pagination }) =>
      balancesOf(context, address, pagination),
    ),
    handleQuery(method.spendableBalanceByDenom, ({ state }, request) => {
      const denom = checkDenom(request.denom)
      return { balance: toCoin({ denom, amount: readBalance(state, parseOwner(request.address), denom) }) }
    }),
    handleQuery(method.totalSupply, ({ state }, request) => {
      const { coins, pagination } = pageOfCoins(request.pagination, (limit, start) => readSupplies(state, limit, start))
      return { supply: coins, pagination }
    }),
    handleQuery(method.supplyOf, ({ state }, request) => {
      const denom = checkDenom(request.denom)
      return { amount: toCoin({ denom, amount: readSupply(state, denom) }) }
    }),
    handleQuery(method.params, () => ({ params: { sendEnabled: [], defaultSendEnabled: true } })),
    handleQuery(method.denomsMetadata, (_, request) => {
      const { items, pagination } = takePage(
        request.pagination,
        (start) => DENOM_METADATA.filter(({ base = '' }) => start === undefined || base >= bytesToUtf8(start)),
        ({ base = '' }) => utf8ToBytes(base),
      )
      return { metadatas: [...items], pagination }
    }),
    handleQuery(method.denomMetadata, (_, { denom }) => metadataOf(denom)),
    handleQuery(method.denomMetadataByQueryString, (_, { denom }) => metadataOf(denom)),
    handleQuery(method.denomOwners, (context, { denom, pagination }) => owners(context, denom, pagination)),
    handleQuery(method.denomOwnersByQuery, (context, { denom, pagination }) => owners(context, denom, pagination)),
    // No denomination has an entry of its own: the default of the parameters holds.
    handleQuery(method.sendEnabled, (_, request) => {
      const { pagination } = takePage(
        request.pagination,
        () => [],
        () => utf8ToBytes(''),
      )
      return request.denoms.length > 0 ? { sendEnabled: [] } : { sendEnabled: [], pagination }
    }),
  ]
}

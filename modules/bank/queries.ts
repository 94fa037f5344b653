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
import { isDenom } from '../../core/denom.ts'
import type { BankDependencies } from './deps.ts'
import type { Coin } from '../ledger.ts'
import { readBalance, readBalances, readOtherHolders, readSupplies, readSupply } from './keeper/balances.ts'
import { readAllMetadata, readMetadata } from './keeper/metadata.ts'
import { readDefaultSendEnabled, readSendEnabled, readSendEnabledEntries } from './keeper/send-enabled.ts'

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

const parseDenom = (text: string): string => {
  if (isDenom(text)) return text
  throw queryRefusal('invalidArgument', `invalid denom: ${text.slice(0, 128)}`)
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
    const denom = parseDenom(text)
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

const metadataOf = ({ state }: QueryContext, text: string) => {
  const denom = parseDenom(text)
  const metadata = readMetadata(state, denom)
  if (metadata === undefined) throw queryRefusal('notFound', `client metadata for denom ${denom}`)
  return { metadata }
}

/** Most denominations that one request may name. */
const MAX_NAMED = 1_000

const sendEnabledOf = ({ state }: QueryContext, denoms: readonly string[]) => {
  if (denoms.length > MAX_NAMED) {
    throw queryRefusal('invalidArgument', `${denoms.length} denominations, at most ${MAX_NAMED} are looked up`)
  }
  return denoms.flatMap((denom) => {
    const enabled = readSendEnabled(state, denom)
    return enabled === undefined ? [] : { denom, enabled }
  })
}

const firstOf = (start: Uint8Array | undefined): string => (start === undefined ? '' : bytesToUtf8(start))

/** Reading parameters and metadata, which take nothing of the rest of the node. */
const settingsQueries = (): readonly QueryHandler[] => {
  const { method } = bankQuery.Query
  return [
    handleQuery(method.params, ({ state }) => ({
      params: { sendEnabled: [], defaultSendEnabled: readDefaultSendEnabled(state) },
    })),
    handleQuery(method.denomsMetadata, ({ state }, request) => {
      const { items, pagination } = takePage(
        request.pagination,
        (start) => readAllMetadata(state, firstOf(start)),
        ({ base }) => utf8ToBytes(base),
      )
      return { metadatas: [...items], pagination }
    }),
    handleQuery(method.denomMetadata, (context, { denom }) => metadataOf(context, denom)),
    handleQuery(method.denomMetadataByQueryString, (context, { denom }) => metadataOf(context, denom)),
    handleQuery(method.sendEnabled, (context, { denoms, pagination: page }) => {
      if (denoms.length > 0) return { sendEnabled: sendEnabledOf(context, denoms) }
      const { items, pagination } = takePage(
        page,
        (start) => readSendEnabledEntries(context.state, firstOf(start)),
        ({ denom }) => utf8ToBytes(denom),
      )
      return { sendEnabled: [...items], pagination }
    }),
  ]
}

export const bankQueries = (dependencies: BankDependencies): readonly QueryHandler[] => {
  const { method } = bankQuery.Query
  const owners = createOwners(dependencies)
  return [
    handleQuery(method.balance, ({ state }, request) => {
      const denom = parseDenom(request.denom)
      return { balance: toCoin({ denom, amount: readBalance(state, parseOwner(request.address), denom) }) }
    }),
    handleQuery(method.allBalances, (context, { address, pagination, resolveDenom }) => {
      const page = balancesOf(context, address, pagination)
      if (!resolveDenom) return page
      const resolve = (denom: string): string => readMetadata(context.state, denom)?.display ?? denom
      return { ...page, balances: page.balances.map((coin) => ({ ...coin, denom: resolve(coin.denom) })) }
    }),
    // Nothing is locked: what an account has it can spend.
    handleQuery(method.spendableBalances, (context, { address, pagination }) =>
      balancesOf(context, address, pagination),
    ),
    handleQuery(method.spendableBalanceByDenom, ({ state }, request) => {
      const denom = parseDenom(request.denom)
      return { balance: toCoin({ denom, amount: readBalance(state, parseOwner(request.address), denom) }) }
    }),
    handleQuery(method.totalSupply, ({ state }, request) => {
      const { coins, pagination } = pageOfCoins(request.pagination, (limit, start) => readSupplies(state, limit, start))
      return { supply: coins, pagination }
    }),
    handleQuery(method.supplyOf, ({ state }, request) => {
      const denom = parseDenom(request.denom)
      return { amount: toCoin({ denom, amount: readSupply(state, denom) }) }
    }),
    handleQuery(method.denomOwners, (context, { denom, pagination }) => owners(context, denom, pagination)),
    handleQuery(method.denomOwnersByQuery, (context, { denom, pagination }) => owners(context, denom, pagination)),
    ...settingsQueries(),
  ]
}

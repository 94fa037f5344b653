/** Read-only gRPC methods of cosmos.bank.v1beta1.Query: balances and supply. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToUtf8, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import {
  QueryAllBalancesRequestSchema,
  QueryAllBalancesResponseSchema,
  QueryBalanceRequestSchema,
  QueryBalanceResponseSchema,
  QuerySpendableBalancesRequestSchema,
  QuerySpendableBalancesResponseSchema,
  QuerySupplyOfRequestSchema,
  QuerySupplyOfResponseSchema,
  QueryTotalSupplyRequestSchema,
  QueryTotalSupplyResponseSchema,
} from '../../proto/gen/cosmos/bank/v1beta1/query_pb.ts'
import { type PageRequest, PageResponseSchema } from '../../proto/gen/cosmos/base/query/v1beta1/pagination_pb.ts'
import { CoinSchema } from '../../proto/gen/cosmos/base/v1beta1/coin_pb.ts'
import type { QueryHandler } from '../module.ts'
import { checkDenom } from './denom.ts'
import { type Coin, readBalance, readBalances, readSupplies, readSupply } from './keeper.ts'

const SERVICE = '/cosmos.bank.v1beta1.Query/'
const DEFAULT_PAGE = 100
const MAX_PAGE = 1_000

/** gRPC's InvalidArgument. */
const invalidArgument = (message: string): CodedError => new CodedError('grpc', 3, message)

const address = (text: string): Uint8Array => {
  if (text === '') throw invalidArgument('empty address string is not allowed')
  try {
    return parseAccountAddress(text)
  } catch (error) {
    throw invalidArgument(`invalid address: ${(error as Error).message}`)
  }
}

const toCoin = ({ denom, amount }: Coin) => create(CoinSchema, { denom, amount: amount.toString() })

/** One page of coins sorted by denomination; the key of the next page is its first denomination. */
const paginate = (page: PageRequest | undefined, read: (limit: number, start: string) => readonly Coin[]) => {
  if (page?.reverse === true) throw new CodedError('grpc', 12, 'reverse pagination is not supported here')
  const limit = page === undefined || page.limit === 0n ? DEFAULT_PAGE : Number(page.limit)
  const offset = Number(page?.offset ?? 0n)
  if (limit > MAX_PAGE || offset > MAX_PAGE) throw invalidArgument(`a page has at most ${MAX_PAGE} entries`)
  if (offset > 0 && page !== undefined && page.key.length > 0) {
    throw invalidArgument('invalid request, either offset or key is expected, got both')
  }
  const coins = read(offset + limit + 1, bytesToUtf8(page?.key ?? EMPTY_BYTES)).slice(offset)
  const next = coins[limit]
  return {
    coins: coins.slice(0, limit).map(toCoin),
    pagination: create(PageResponseSchema, {
      nextKey: next === undefined ? EMPTY_BYTES : utf8ToBytes(next.denom),
      total: page?.countTotal === true || page === undefined ? BigInt(offset + coins.length) : 0n,
    }),
  }
}

export const bankQueries: readonly QueryHandler[] = [
  {
    path: `${SERVICE}Balance`,
    query: ({ state }, bytes) => {
      const request = fromBinary(QueryBalanceRequestSchema, bytes)
      const denom = checkDenom(request.denom)
      const balance = toCoin({ denom, amount: readBalance(state, address(request.address), denom) })
      return toBinary(QueryBalanceResponseSchema, create(QueryBalanceResponseSchema, { balance }))
    },
  },
  {
    path: `${SERVICE}AllBalances`,
    query: ({ state }, bytes) => {
      const request = fromBinary(QueryAllBalancesRequestSchema, bytes)
      const owner = address(request.address)
      const { coins, pagination } = paginate(request.pagination, (limit, start) =>
        readBalances(state, owner, limit, start),
      )
      const response = create(QueryAllBalancesResponseSchema, { balances: coins, pagination })
      return toBinary(QueryAllBalancesResponseSchema, response)
    },
  },
  {
    path: `${SERVICE}SpendableBalances`,
    query: ({ state }, bytes) => {
      const request = fromBinary(QuerySpendableBalancesRequestSchema, bytes)
      const owner = address(request.address)
      const { coins, pagination } = paginate(request.pagination, (limit, start) =>
        readBalances(state, owner, limit, start),
      )
      const response = create(QuerySpendableBalancesResponseSchema, { balances: coins, pagination })
      return toBinary(QuerySpendableBalancesResponseSchema, response)
    },
  },
  {
    path: `${SERVICE}TotalSupply`,
    query: ({ state }, bytes) => {
      const request = fromBinary(QueryTotalSupplyRequestSchema, bytes)
      const { coins, pagination } = paginate(request.pagination, (limit, start) => readSupplies(state, limit, start))
      const response = create(QueryTotalSupplyResponseSchema, { supply: coins, pagination })
      return toBinary(QueryTotalSupplyResponseSchema, response)
    },
  },
  {
    path: `${SERVICE}SupplyOf`,
    query: ({ state }, bytes) => {
      const denom = checkDenom(fromBinary(QuerySupplyOfRequestSchema, bytes).denom)
      const amount = toCoin({ denom, amount: readSupply(state, denom) })
      return toBinary(QuerySupplyOfResponseSchema, create(QuerySupplyOfResponseSchema, { amount }))
    },
  },
]

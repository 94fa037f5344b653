/** The read-only gRPC methods of nat.clob.v1.Query. */
import { create } from '@bufbuild/protobuf'
import type { Address } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import {
  compareBytes,
  concatBytes,
  EMPTY_BYTES,
  readUint32,
  readUint64,
  uint32ToBytes,
  uint64ToBytes,
} from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import type { StateReader } from '../../store/state.ts'
import { type PageRequest, PageResponseSchema } from '../../proto/gen/cosmos/base/query/v1beta1/pagination_pb.ts'
import { clobQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { limitOf, takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { formatConsensusAddress, parseConsensusAddress } from '../validator-addresses.ts'
import type { Market } from './domain/market.ts'
import type { OpenOrder } from './domain/order.ts'
import { marketForm, parametersForm, recordForm } from './forms/market.ts'
import { orderForm } from './forms/order.ts'
import { accountForm, agentForm, capForm, carriedForm, proposerForm, queuedForm } from './forms/owner.ts'
import {
  findOrdersOf,
  listAgents,
  listMarkets,
  type OrderPlace,
  readAccount,
  readCaps,
  readCarried,
  readMarket,
  readOrder,
  readParameters,
  readProposer,
  readQueue,
  readRecord,
  scanOrders,
  scanProposers,
} from './keeper/index.ts'

const KEY_BYTES = 12
const ADDRESS_BYTES = 20
const PLACE_BYTES = 4

/** Throws grpc/3. */
const parseWith = <T>(text: string, what: string, parse: (text: string) => T): T => {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid ${what} address: ${error.message}`)
  }
}

const parseOwner = (text: string): Address => parseWith(text, 'owner', parseAccountAddress)

/** Throws grpc/5. */
const requireMarket = (state: StateReader, id: number): Market => {
  const market = readMarket(state, id)
  if (market === undefined) throw queryRefusal('notFound', `there is no market ${id}`)
  return market
}

/** Where a page begins: the key of an order in its market. Throws grpc/3. */
const readPageKey = (key: Uint8Array | undefined, length: number): Uint8Array | undefined => {
  if (key === undefined || key.length === length) return key
  throw queryRefusal('invalidArgument', `a page key has ${length} bytes, not ${key.length}`)
}

/** The order_seq in a page key. Throws grpc/3. */
const seqIn = (key: Uint8Array, offset = 0): number => {
  const seq = readUint64(key, offset)
  if (Number.isSafeInteger(seq)) return seq
  throw queryRefusal('invalidArgument', 'a page key names an order_seq that no order has')
}

const seqKey = ({ seq }: OpenOrder): Uint8Array => uint64ToBytes(seq)
const placeKey = ({ market, seq }: OrderPlace): Uint8Array => concatBytes(uint32ToBytes(market), uint64ToBytes(seq))

/** Orders of whomever that a page of an owner's looks at: some milliseconds. */
const MAX_LOOKED_AT = 20_000

/**
 * A page of an owner's orders, by market and order_seq. It may hold fewer than its limit, or none, where the owner's lie far apart: the
 * list ends where there is no next_key. Throws grpc/3 for bounds, and for what would need a look at all orders.
 */
const pageOfOwner = (state: StateReader, owner: Address, page: PageRequest | undefined) => {
  if (page !== undefined && (page.offset > 0n || page.reverse)) {
    throw queryRefusal('invalidArgument', 'open orders of an owner are listed forwards, by key')
  }
  const key = page === undefined || page.key.length === 0 ? undefined : readPageKey(page.key, KEY_BYTES)
  const start = key === undefined ? { market: 1, seq: 1 } : { market: readUint32(key), seq: seqIn(key, 4) }
  const { openOrders } = readAccount(state, owner)
  const markets = openOrders === 0 ? [] : listMarkets(state).map(({ id }) => id)
  const { orders, next } = findOrdersOf(state, owner, markets, start, { limit: limitOf(page), most: MAX_LOOKED_AT })
  const isAll = next === undefined || (key === undefined && orders.length === openOrders)
  const pagination = create(PageResponseSchema, {
    nextKey: isAll ? EMPTY_BYTES : placeKey(next),
    total: page?.countTotal === true ? BigInt(openOrders) : 0n,
  })
  return { orders: orders.map(orderForm), pagination }
}

const { method } = clobQuery.Query

const MARKET_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.params, ({ state }) => ({ params: parametersForm(readParameters(state)) })),
  handleQuery(method.market, ({ state }, { market }) => ({ market: marketForm(requireMarket(state, market)) })),
  handleQuery(method.markets, ({ state }, request) => {
    const { items, pagination } = takePage(
      request.pagination,
      (start) => listMarkets(state, start === undefined ? 1 : readUint32(readPageKey(start, 4) ?? start)),
      ({ id }) => uint32ToBytes(id),
    )
    return { markets: items.map(marketForm), pagination }
  }),
  handleQuery(method.record, ({ state }, { market }) => {
    const record = readRecord(state, market)
    if (record === undefined) throw queryRefusal('notFound', `there is no market ${market}`)
    return { record: recordForm(record) }
  }),
]

const ORDER_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.order, ({ state }, { market, orderSeq }) => {
    const order = readOrder(state, market, Number(orderSeq))
    if (order === undefined) throw queryRefusal('notFound', `order ${orderSeq} is not open in market ${market}`)
    return { order: orderForm(order) }
  }),
  // Up to 200,000 orders can be passed over, or counted.
  handleQuery(
    method.orders,
    ({ state }, { market, pagination: page }) => {
      requireMarket(state, market)
      const { items, pagination } = takePage(
        page,
        (start) => scanOrders(state, market, start === undefined ? 1 : seqIn(readPageKey(start, 8) ?? start)),
        seqKey,
        () => readRecord(state, market)?.openOrders ?? 0,
      )
      return { orders: items.map(orderForm), pagination }
    },
    { isHeavy: true },
  ),
  // State has no index by owner: orders of others are passed over.
  handleQuery(
    method.openOrders,
    ({ state }, { owner, pagination }) => pageOfOwner(state, parseOwner(owner), pagination),
    { isHeavy: true },
  ),
]

const OWNER_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.account, ({ state }, { owner }) => ({
    account: accountForm(readAccount(state, parseOwner(owner))),
  })),
  handleQuery(method.agents, ({ state }, { owner }) => ({
    agents: listAgents(state, parseOwner(owner)).map(agentForm),
  })),
]

function* proposersFrom(state: StateReader, start: Uint8Array | undefined): ReturnType<typeof scanProposers> {
  for (const proposer of scanProposers(state)) {
    if (start === undefined || compareBytes(proposer[0], start) >= 0) yield proposer
  }
}

/** A block queues at most 5,000 small actions: they are one value, which is decoded for each page. */
const pageOfQueue = (state: StateReader, page: PageRequest | undefined) => {
  const queue = readQueue(state).map((queued, place) => ({ queued, place }))
  const { items, pagination } = takePage(
    page,
    (start) => queue.slice(start === undefined ? 0 : readUint32(readPageKey(start, PLACE_BYTES) ?? start)),
    ({ place }) => uint32ToBytes(place),
  )
  return { actions: items.map(({ queued }) => queuedForm(queued)), pagination }
}

const EXTENSION_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.queue, ({ state }, { pagination }) => pageOfQueue(state, pagination), { isHeavy: true }),
  handleQuery(method.carried, ({ state }) => ({ carried: [...carriedForm(readCarried(state))] })),
  handleQuery(method.caps, ({ state }) => ({ caps: readCaps(state).map(capForm) })),
  handleQuery(method.proposer, ({ state }, { address }) => {
    const proposer = parseWith(address, 'proposer', parseConsensusAddress)
    return { record: proposerForm(readProposer(state, proposer)) }
  }),
  // There may be as many as ever were validators: those before a page are passed over.
  handleQuery(
    method.proposers,
    ({ state }, request) => {
      const { items, pagination } = takePage(
        request.pagination,
        (start) => proposersFrom(state, readPageKey(start, ADDRESS_BYTES)),
        ([address]) => address,
      )
      const proposers = items.map(([address, record]) => ({
        address: formatConsensusAddress(address),
        record: proposerForm(record),
      }))
      return { proposers, pagination }
    },
    { isHeavy: true },
  ),
]

export const CLOB_QUERIES: readonly QueryHandler[] = [
  ...MARKET_QUERIES,
  ...ORDER_QUERIES,
  ...OWNER_QUERIES,
  ...EXTENSION_QUERIES,
]

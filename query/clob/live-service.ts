/** nat.clob.v1.Live: questions of the book in memory. */
import {
  create,
  fromBinary,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Address } from '../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { hexToBytes } from '../../core/hex.ts'
import {
  type FeeTier,
  type LevelTotal,
  readMarket,
  readParameters,
  tierOf,
  tradedVolume,
} from '../../modules/clob/index.ts'
import { decodeRequest } from '../../modules/handlers.ts'
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { clobLive, type clobStream, clobTx } from '../../proto/index.ts'
import type { ClobLevel } from '../../app/ports.ts'
import { clobDepth, type ClobSource, requireMarket } from './depth.ts'
import { STAGES, type WaitingOrders } from './waiting.ts'

export const LIVE_SERVICE = '/nat.clob.v1.Live/'

const MAX_LEVELS = 1_000
const DEFAULT_LEVELS = 50

const toLevel = ({ priceTicks, lots, orders }: ClobLevel) => ({ priceTicks, lots, orders })

export interface LiveSource extends ClobSource {
  /** Orders that no block holds yet. */
  readonly waiting: WaitingOrders
}

/** Answers of a method from its request. */
type Answer = (source: LiveSource, request: Uint8Array, wallMs: number) => Uint8Array

const answering =
  <Input extends DescMessage, Output extends DescMessage>(
    { input, output }: DescMethodUnary<Input, Output>,
    answer: (source: LiveSource, request: MessageShape<Input>, wallMs: number) => MessageInitShape<Output>,
  ): Answer =>
  (source, request, wallMs) =>
    toBinary(output, create(output, answer(source, decodeRequest(input, request), wallMs)))

const stampOf = ({ updates }: ClobSource) => ({ height: BigInt(updates.height), timeMs: BigInt(updates.timeMs) })

const levelOf = (level: LevelTotal | undefined) =>
  level === undefined ? {} : { priceTicks: level.priceTicks, lots: String(level.lots), orders: level.orders }

const tierForm = ({ volume, makerPpm, takerPpm }: FeeTier) => ({ volume: volume.toString(), makerPpm, takerPpm })

/** Throws grpc/3. */
const parseOwner = (text: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid owner address: ${error.message}`)
  }
}

/** Throws grpc/3. */
const hashOf = (text: string): Hash => {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (/^[0-9a-fA-F]{64}$/.test(digits)) return hexToBytes(`0x${digits}`)
  throw queryRefusal('invalidArgument', 'tx_hash must be 64 hexadecimal digits')
}

/** Throws grpc/5. */
const orderForm = (
  { waiting, updates }: LiveSource,
  hash: Hash,
): MessageInitShape<typeof clobStream.OptimisticOrderSchema> => {
  const order = waiting.pool.get(hash)
  if (order === undefined) {
    const height = waiting.includedHeight(hash)
    if (height === undefined)
      throw queryRefusal('notFound', 'the node has no such transaction of the order book, or not any more')
    return { txHash: hash, stage: STAGES.included, height: BigInt(height) }
  }
  const { tx, raw, seenMs } = order
  return {
    ...{ txHash: hash, owner: encodeBech32(tx.owner), seenMs: BigInt(seenMs), height: BigInt(updates.height) },
    stage: STAGES[waiting.watch.stageOf(order)],
    tx: fromBinary(clobTx.ClobTxSchema, raw.subarray(1)),
  }
}

const { depth, bestPrices, standing, serverTime, orderTransaction } = clobLive.Live.method

const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  [
    depth.name,
    answering(depth, (source, { market, levels }) => {
      if (levels > MAX_LEVELS) {
        throw queryRefusal('invalidArgument', `an answer has at most ${MAX_LEVELS} levels of a side`)
      }
      const { sequence, blockPriceTicks, bids, asks } = clobDepth(source, {
        market,
        levels: levels === 0 ? DEFAULT_LEVELS : levels,
      })
      const sides = { bids: bids.map(toLevel), asks: asks.map(toLevel) }
      return { ...stampOf(source), sequence: BigInt(sequence), blockPriceTicks, ...sides }
    }),
  ],
  [
    bestPrices.name,
    answering(bestPrices, (source, { market }) => {
      requireMarket(source, market)
      const { sequence, blockPriceTicks, bid, ask } = source.updates.stampOf(market)
      return {
        ...{ ...stampOf(source), sequence: BigInt(sequence), blockPriceTicks },
        ...(bid === undefined ? {} : { bid: levelOf(bid) }),
        ...(ask === undefined ? {} : { ask: levelOf(ask) }),
      }
    }),
  ],
  [
    standing.name,
    answering(standing, (source, request) => {
      const state = source.latest()
      const market = readMarket(state, request.market)
      if (market === undefined) throw queryRefusal('notFound', `there is no market ${request.market}`)
      const owner = parseOwner(request.owner)
      const volume = tradedVolume(state, owner, market.quoteDenom, source.updates.timeMs)
      const next = market.fees.find((tier) => tier.volume > volume)
      const orders = source.books().ordersOf(owner)
      const { maxOpenOrders, maxActions } = readParameters(state)
      return {
        ...stampOf(source),
        ...{ volume: volume.toString(), tier: tierForm(tierOf(market, volume)), openOrders: orders.length },
        ...(next === undefined ? {} : { nextTier: tierForm(next) }),
        ...{ maxOpenOrders, maxActions, marketMaxOpenOrders: market.maxOpenOrders },
        marketOpenOrders: orders.filter((order) => order.market === market.id).length,
      }
    }),
  ],
  [
    orderTransaction.name,
    answering(orderTransaction, (source, { txHash }) => ({
      ...stampOf(source),
      order: orderForm(source, hashOf(txHash)),
    })),
  ],
  [serverTime.name, answering(serverTime, (source, _, wallMs) => ({ ...stampOf(source), wallMs: BigInt(wallMs) }))],
])

export interface LiveQuestion {
  readonly path: string
  readonly request: Uint8Array
  readonly height: number
  /** Time of the node's clock, milliseconds since 1970. */
  readonly wallMs: number
}

/**
 * The newest book has no height to choose: throws grpc/3 where one is asked for, and for a request that is out of range; grpc/5 where there is
 * no such market, grpc/12 for a method that is not there.
 */
export const liveAnswer = (source: LiveSource, { path, request, height, wallMs }: LiveQuestion): Uint8Array => {
  const answer = ANSWERS.get(path.slice(LIVE_SERVICE.length))
  if (answer === undefined) throw queryRefusal('unimplemented', `unknown method ${path.slice(0, 100)}`)
  if (height !== 0) {
    throw queryRefusal('invalidArgument', 'the book in memory is that of the newest block: ask without a height')
  }
  return answer(source, request, wallMs)
}

/** nat.clob.v1.Live: questions of the book in memory. */
import { create, toBinary } from '@bufbuild/protobuf'
import { decodeRequest } from '../../modules/handlers.ts'
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { clobLive } from '../../proto/index.ts'
import type { ClobDepth, ClobLevel } from '../../app/ports.ts'

export const LIVE_SERVICE = '/nat.clob.v1.Live/'

const MAX_LEVELS = 1_000
const DEFAULT_LEVELS = 50

const { depth } = clobLive.Live.method

const toLevel = ({ priceTicks, lots, orders }: ClobLevel) => ({ priceTicks, lots, orders })

/**
 * The newest book has no height to choose: throws grpc/3 where one is asked for, and for more levels than an answer has; grpc/5 where there is
 * no such market, grpc/12 for a method that is not there.
 */
export const liveAnswer = (
  depthOf: (market: number, levels: number) => ClobDepth,
  { path, request, height }: { readonly path: string; readonly request: Uint8Array; readonly height: number },
): Uint8Array => {
  if (path !== `${LIVE_SERVICE}${depth.name}`) {
    throw queryRefusal('unimplemented', `unknown method ${path.slice(0, 100)}`)
  }
  if (height !== 0) {
    throw queryRefusal('invalidArgument', 'the book in memory is that of the newest block: ask without a height')
  }
  const { market, levels } = decodeRequest(depth.input, request)
  if (levels > MAX_LEVELS) {
    throw queryRefusal('invalidArgument', `an answer has at most ${MAX_LEVELS} levels of a side`)
  }
  const found = depthOf(market, levels === 0 ? DEFAULT_LEVELS : levels)
  const message = create(depth.output, {
    height: BigInt(found.height),
    timeMs: BigInt(found.timeMs),
    sequence: BigInt(found.sequence),
    blockPriceTicks: found.blockPriceTicks,
    bids: found.bids.map(toLevel),
    asks: found.asks.map(toLevel),
  })
  return toBinary(depth.output, message)
}

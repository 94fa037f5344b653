/** nat.clob.v1.Live: questions of the book in memory, in the clothes of gRPC. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { ClobDepth, ClobLevel, QuestionName, Questions } from '../../app/ports.ts'
import { clobLive } from '../../proto/index.ts'
import { invalidArgument } from './parse-parameter.ts'
import { methodPath } from './services.ts'

const MAX_LEVELS = 1_000
const DEFAULT_LEVELS = 50

const { depth } = clobLive.Live.method
const DEPTH = methodPath(depth)

const decode = (request: Uint8Array) => {
  try {
    return fromBinary(depth.input, request)
  } catch (error) {
    throw invalidArgument(error instanceof Error ? error.message : String(error))
  }
}

const toLevel = ({ priceTicks, lots, orders }: ClobLevel) => ({ priceTicks, lots, orders })

/** Asks the application as of the gateway's head; resolves to JSON. */
export type AskApplication = <Name extends QuestionName>(
  name: Name,
  parameters: Questions[Name],
) => string | Promise<string>

/**
 * Undefined for a method of another service. Rejects with grpc/3 for more levels than an answer has, grpc/5 where there is no such
 * market. The newest book has no height to choose: grpc/3 where one is asked for.
 */
export const answerLive = async (
  ask: AskApplication,
  { path, request, height }: { readonly path: string; readonly request: Uint8Array; readonly height: number },
): Promise<Buffer | undefined> => {
  if (path !== DEPTH) return undefined
  if (height !== 0) throw invalidArgument('the book in memory is that of the newest block: ask without a height')
  const { market, levels } = decode(request)
  if (levels > MAX_LEVELS) throw invalidArgument(`an answer has at most ${MAX_LEVELS} levels of a side`)
  const asked = { market, levels: levels === 0 ? DEFAULT_LEVELS : levels }
  const found = JSON.parse(await ask('clobDepth', asked)) as ClobDepth
  const message = create(depth.output, {
    height: BigInt(found.height),
    timeMs: BigInt(found.timeMs),
    sequence: BigInt(found.sequence),
    blockPriceTicks: found.blockPriceTicks,
    bids: found.bids.map(toLevel),
    asks: found.asks.map(toLevel),
  })
  return Buffer.from(toBinary(depth.output, message))
}

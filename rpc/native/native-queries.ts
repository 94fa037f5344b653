/** A query of a native service as bytes: where REST, gRPC and gRPC-Web come together. */
import type { DescService } from '@bufbuild/protobuf'
import { type Asker, SDK_CODES } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { requireRequestLength } from '../../core/request-limits.ts'
import type { HeadTracker, ReachableApplication } from '../head.ts'
import { SharedAnswers } from '../shared-answers.ts'
import { createDescriptions, type Descriptions } from './describe-application.ts'
import { createEvmCalls, type EvmCallContext, evmCallCost } from './evm-calls.ts'
import { invalidArgument } from './parse-parameter.ts'
import { MESSAGE_SERVICES, methodPath } from './services.ts'
import { plainRequest, wholeBlockKey } from './whole-block.ts'
import { GRPC } from '../grpc/status.ts'

export interface NativeReply {
  readonly bytes: Buffer
  /** The height of the state that was asked. */
  readonly height: number
}

export interface NativeQueries {
  /**
   * `height` as the client wrote it; Rejects with grpc codes and with those of
   * the application.
   */
  ask(path: string, request: Uint8Array, height: string | undefined, asker?: Asker): Promise<NativeReply>
}

export const HEIGHT_HEADER = 'x-cosmos-block-height'

const QUERY_COST = 5

/** What a native query takes of the rate limit. */
export const queryCost = (path: string): number => evmCallCost(path) ?? QUERY_COST

/** 0, which is the head, when absent. Throws grpc/3 for what is no height, and sdk/26 for one that is to come. */
export const readHeight = (text: string | undefined, head: number): number => {
  if (text === undefined || text === '') return 0
  const height = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(height)) {
    throw invalidArgument(`${HEIGHT_HEADER}: ${JSON.stringify(text.slice(0, 40))} is not a height`)
  }
  if (height <= head) return height
  const message = 'cannot query with height in the future; please provide a valid height: invalid height'
  throw new CodedError('sdk', SDK_CODES.invalidHeight, message)
}

const unimplemented = (message: string): CodedError => new CodedError('grpc', GRPC.unimplemented, message)

/** The text is that of Go's gRPC server. */
const unknownMethod = (path: string, services: readonly DescService[]): CodedError => {
  const [, service = '', method = ''] = path.slice(0, 200).split('/')
  return services.some(({ typeName }) => typeName === service)
    ? unimplemented(`unknown method ${method} for service ${service}`)
    : unimplemented(`unknown service ${service}`)
}

interface Served {
  readonly queries: ReadonlySet<string>
  readonly messages: ReadonlySet<string>
}

const pathsOf = (services: readonly DescService[]): ReadonlySet<string> =>
  new Set(services.flatMap(({ methods }) => methods.filter(({ methodKind }) => methodKind === 'unary').map(methodPath)))

export interface NativeQueriesOptions {
  readonly application: ReachableApplication
  readonly head: HeadTracker
  readonly services: readonly DescService[]
  /** Whether traces are served. */
  readonly traces: boolean
}

export const createNativeQueries = ({ application, head, services, traces }: NativeQueriesOptions): NativeQueries => {
  const served: Served = { queries: pathsOf(services), messages: pathsOf(MESSAGE_SERVICES) }
  const descriptions: Descriptions = createDescriptions(services)
  const evmCalls = createEvmCalls(traces)
  const wholeBlocks = new SharedAnswers<Buffer>()
  application.onConnection?.(() => wholeBlocks.forget())

  return {
    async ask(path, request, heightText, asker) {
      if (!served.queries.has(path)) {
        if (!served.messages.has(path)) throw unknownMethod(path, [...services, ...MESSAGE_SERVICES])
        throw unimplemented(`${path} is a message of transactions: sign one that holds it and broadcast it`)
      }
      requireRequestLength(path, request.length)
      const known = head.current().head
      const height = readHeight(heightText, known.height)
      const shown = height === 0 ? known.height : height
      const described = descriptions.answer(path, request, known)
      if (described !== undefined) return { bytes: described, height: shown }
      const context: EvmCallContext = {
        ask: async (name, parameters) => await application.ask(name, parameters, known.height, asker),
        height,
      }
      const executed = evmCalls.answer(path, context, request)
      if (executed !== undefined) return { bytes: Buffer.from(await executed), height: shown }
      const { buffer, byteOffset, byteLength } = plainRequest(path, request)
      const data = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
      const ask = async (who: Asker | undefined): Promise<Buffer> => {
        const text = await application.ask('native', { path, data, height }, known.height, who)
        // A JSON string of base64 has nothing to unescape.
        return Buffer.from(text.slice(1, -1), 'base64')
      }
      const key = wholeBlockKey(path, data, known.height)
      const isShared = key !== undefined && asker !== undefined
      return { bytes: await (isShared ? wholeBlocks.answer(key, asker, ask) : ask(asker)), height: shown }
    },
  }
}

/** Native REST: requests become gRPC queries by the options of the services, answers are printed as the SDK does. */
import { fromBinary, toBinary, type DescService } from '@bufbuild/protobuf'
import express, { type Express, type Request, type Response } from 'express'
import { CodedError } from '../../core/errors.ts'
import type { HeadTracker, ReachableApplication } from '../head.ts'
import type { FindAddress, RateLimiter } from '../limits.ts'
import type { GatewayLog } from '../log.ts'
import { printMessage } from './print-message.ts'
import { readRequest } from './read-request.ts'
import { createRoutes, findRoute, type MatchedRoute } from './routes.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from './services.ts'
import { GRPC, toGrpcStatus, toHttpStatus } from './status.ts'

export interface RestOptions {
  readonly application: ReachableApplication
  readonly head: HeadTracker
  readonly log: GatewayLog
  readonly bodyLimit: number
  readonly cors: boolean
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly services?: readonly DescService[]
}

export const HEIGHT_HEADER = 'x-cosmos-block-height'

/** What a native query takes of the rate limit. */
const QUERY_COST = 5

/** 0, which is the head, when absent. Throws grpc/3. */
export const readHeight = (text: string | undefined): number => {
  if (text === undefined || text === '') return 0
  const height = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(height)) {
    throw new CodedError('grpc', GRPC.invalidArgument, `${HEIGHT_HEADER}: ${JSON.stringify(text)} is not a height`)
  }
  return height
}

const sendError = (response: Response, code: number, message: string): void => {
  response.status(toHttpStatus(code)).json({ code, message, details: [] })
}

export const createRest = (options: RestOptions): Express => {
  const services = options.services ?? NATIVE_SERVICES
  const routes = createRoutes(services)
  const registry = createTypeRegistry(services)

  const ask = async (request: Request, response: Response, route: MatchedRoute): Promise<void> => {
    const { input, output } = route.method
    const query = new URLSearchParams(request.url.split('?')[1] ?? '')
    const body = route.takesBody ? String(request.body ?? '') : undefined
    const message = readRequest(input, { fields: route.fields, query, body }, registry)
    const height = readHeight(request.get(HEIGHT_HEADER))
    const head = options.head.current().head.height
    const data = Buffer.from(toBinary(input, message)).toString('base64')
    const answer = await options.application.ask('native', { path: methodPath(route.method), data, height }, head)
    const reply = fromBinary(output, Buffer.from(JSON.parse(answer) as string, 'base64'))
    response.setHeader(HEIGHT_HEADER, String(height === 0 ? head : height))
    response.setHeader('Content-Type', 'application/json')
    response.status(200).end(printMessage(output, reply, registry))
  }

  const isLimited = (request: Request, response: Response): boolean => {
    const waitSeconds = options.limiter?.take(options.findAddress(request), QUERY_COST) ?? 0
    if (waitSeconds === 0) return false
    response.setHeader('Retry-After', waitSeconds)
    sendError(response, GRPC.resourceExhausted, `rate limit exceeded, retry in ${waitSeconds} s`)
    return true
  }

  const answer = async (request: Request, response: Response): Promise<void> => {
    if (options.cors) response.setHeader('Access-Control-Allow-Origin', '*')
    if (options.cors && request.method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Methods', 'GET, POST')
      response.setHeader('Access-Control-Allow-Headers', `Content-Type, ${HEIGHT_HEADER}`)
      response.status(204).end()
      return
    }
    const route = findRoute(routes, request.method, request.path)
    if (route === undefined) return sendError(response, GRPC.unimplemented, 'Not Implemented')
    if (isLimited(request, response)) return undefined
    try {
      await ask(request, response, route)
    } catch (error) {
      const { code, message } = toGrpcStatus(error, methodPath(route.method), options.log)
      sendError(response, code, message)
    }
    return undefined
  }

  const rest = express()
  rest.disable('x-powered-by')
  rest.disable('etag')
  rest.use(express.text({ type: () => true, limit: options.bodyLimit }))
  rest.use(answer)
  // Bodies that are too large or cannot be read end here.
  rest.use((error: unknown, _request: Request, response: Response, _next: unknown) => {
    sendError(response, GRPC.invalidArgument, error instanceof Error ? error.message : 'malformed request')
  })
  return rest
}

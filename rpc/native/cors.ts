/** What browsers of other origins may do on the REST port: everything, where `api.enabled-unsafe-cors` says so. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HEIGHT_HEADER } from './native-queries.ts'

/** Headers of REST and of gRPC-Web clients. */
const REQUEST_HEADERS = `content-type, ${HEIGHT_HEADER}, grpc-timeout, x-grpc-web, x-user-agent, connect-protocol-version, connect-timeout-ms`
const RESPONSE_HEADERS = `${HEIGHT_HEADER}, grpc-status, grpc-message, grpc-encoding`
/** A preflight holds for ten minutes. */
const MAX_AGE_SECONDS = '600'
/** A list that is repeated to the client has at most so many characters. */
const MAX_NAMES_LENGTH = 1_000

export const allowOrigins = (response: ServerResponse): void => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS)
}

/** Answers OPTIONS. Metadata of gRPC-Web are headers of any name, so that those asked for are allowed. */
export const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  const asked = request.headers['access-control-request-headers'] ?? ''
  const isList = asked.length <= MAX_NAMES_LENGTH && /^[\w\-, ]+$/.test(asked)
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
    'Access-Control-Allow-Headers': isList ? `${REQUEST_HEADERS}, ${asked}` : REQUEST_HEADERS,
    'Access-Control-Max-Age': MAX_AGE_SECONDS,
  })
  response.end()
}

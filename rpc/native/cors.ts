/** What pages of other origins may do on the REST port: everything, where `api.cors-allowed-origins` names them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { GRPC } from '../grpc/status.ts'
import { allowedOrigin, isForeignPage } from '../origins.ts'
import { HEIGHT_HEADER } from './native-queries.ts'

/** Headers of REST and of gRPC-Web clients. */
const REQUEST_HEADERS = `content-type, ${HEIGHT_HEADER}, grpc-timeout, x-grpc-web, x-user-agent, connect-protocol-version, connect-timeout-ms`
const RESPONSE_HEADERS = `${HEIGHT_HEADER}, grpc-status, grpc-message, grpc-encoding`
/** A preflight holds for ten minutes. */
const MAX_AGE_SECONDS = '600'
/** A list that is repeated to the client has at most so many characters. */
const MAX_NAMES_LENGTH = 1_000

const allowOrigin = (response: ServerResponse, allowed: string): void => {
  response.setHeader('Access-Control-Allow-Origin', allowed)
  response.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS)
}

/** Answers OPTIONS. Metadata of gRPC-Web are headers of any name, so that those asked for are allowed. */
const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  const asked = request.headers['access-control-request-headers'] ?? ''
  const isList = asked.length <= MAX_NAMES_LENGTH && /^[\w\-, ]+$/.test(asked)
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
    'Access-Control-Allow-Headers': isList ? `${REQUEST_HEADERS}, ${asked}` : REQUEST_HEADERS,
    'Access-Control-Max-Age': MAX_AGE_SECONDS,
  })
  response.end()
}

/** A browser sends a POST of plain text without asking first: it is refused before its body is read. */
const refuseForeign = (response: ServerResponse): void => {
  const text = JSON.stringify({
    code: GRPC.permissionDenied,
    message: 'pages of this origin may not send',
    details: [],
  })
  response.writeHead(403, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  })
  response.end(text)
}

/** Says who may read the answer. True when there is nothing more to answer: a preflight, or a page that may not send. */
export const answersBrowser = (
  request: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): boolean => {
  const { origin, host } = request.headers
  if (origin !== undefined && !origins.includes('*')) response.setHeader('Vary', 'Origin')
  const allowed = origins.includes('*') ? '*' : allowedOrigin(origins, origin)
  if (allowed !== undefined) {
    allowOrigin(response, allowed)
    if (request.method !== 'OPTIONS') return false
    answerPreflight(request, response)
    return true
  }
  if (request.method !== 'POST' || !isForeignPage(origins, origin, host)) return false
  refuseForeign(response)
  return true
}

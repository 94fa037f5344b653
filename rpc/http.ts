/** JSON-RPC over HTTP on node:http: the path of most requests, so nothing stands between the socket and the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CROWDED, failWith, PARSE_ERROR, type Responder } from './envelope.ts'
import { answerCost, bodyCost, PLAIN_COST } from './costs.ts'
import { rpcError } from './errors.ts'
import { clientOf, type FindAddress, type RateLimiter } from './limits.ts'
import { allowedOrigin } from './origins.ts'
import type { Payload } from './payload.ts'

export interface HttpOptions {
  readonly responder: Responder
  readonly bodyLimit: number
  /** A client has so long to take a large answer. */
  readonly timeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  /** Characters of large answers that clients have not taken yet. */
  readonly unsentLimit?: number
  /** Everything that is not JSON-RPC. */
  readonly pages: (request: IncomingMessage, response: ServerResponse) => void
}

/** geth takes these three. */
const JSON_TYPE = /^\s*application\/(?:json|json-rpc|jsonrequest)\s*(?:;\s*[^\s;="]+=(?:"[^"]*"|[^\s;"]+)\s*)*;?\s*$/i

/** The path and the query of a target in origin form, or in the absolute form that proxies send. */
const RPC_TARGET = /^(?:https?:\/\/[^/?]+)?\/(?:\?|$)/i

const isRpcPath = (url: string | undefined): boolean => url === '/' || RPC_TARGET.test(url ?? '')

/** A GET without query and body says that the server is there, whatever type it names. */
const isBareGet = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && url?.includes('?') !== true && Number(headers['content-length'] ?? 0) === 0

/** As in geth the verb hardly matters, if the type is right; GET without a body, PUT, ... have pages of their own. */
const isRpcRequest = (request: IncomingMessage): boolean => {
  const { method = '' } = request
  if (!isRpcPath(request.url)) return false
  if (method === 'POST') return true
  if (['PUT', 'DELETE', 'OPTIONS', 'HEAD'].includes(method) || isBareGet(request)) return false
  return JSON_TYPE.test(request.headers['content-type'] ?? '')
}

/** A plain refusal, as Go's http.Error writes it. */
export const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(text) + 1,
  })
  response.end(`${text}\n`)
}

/** Characters: what connections take at once, or nearly so. */
const LARGE_ANSWER = 1024 * 1024
/** A trace alone can have 64 MiB. */
const DEFAULT_UNSENT_LIMIT = 512 * 1024 * 1024

/** Takes note of a large answer until the client has it; false when too much is on its way. */
type Hold = (response: ServerResponse, length: number) => boolean

/** As in geth, whose http.Server has a WriteTimeout, a client that does not take its answer in time is cut off. */
const createHold = ({ timeoutMs, unsentLimit = DEFAULT_UNSENT_LIMIT }: HttpOptions): Hold => {
  let unsent = 0
  return (response, length) => {
    if (unsent + length > unsentLimit) return false
    unsent += length
    const timer = setTimeout(() => response.destroy(), timeoutMs)
    response.once('close', () => {
      clearTimeout(timer)
      unsent -= length
    })
    return true
  }
}

export const createHttpHandler = (
  options: HttpOptions,
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  const { responder, bodyLimit, corsOrigins, limiter, findAddress } = options
  const hold = createHold(options)

  const send = (request: IncomingMessage, response: ServerResponse, text: string): void => {
    if (response.destroyed) return
    if (text.length > LARGE_ANSWER && !hold(response, text.length)) {
      return refuse(response, 503, 'too many large answers are being sent, try again')
    }
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))]
    const { origin } = request.headers
    if (origin !== undefined) {
      headers.push('Vary', 'Origin')
      const allowed = allowedOrigin(corsOrigins, origin)
      if (allowed !== undefined) headers.push('Access-Control-Allow-Origin', allowed)
    }
    response.writeHead(response.statusCode, headers)
    response.end(text)
  }

  /** True when the client has used up its rate; the refusal has been sent then. */
  const isLimited = (request: IncomingMessage, response: ServerResponse, cost: number, id = 'null'): boolean => {
    const waitSeconds = cost === 0 ? 0 : (limiter?.take(findAddress(request), cost) ?? 0)
    if (waitSeconds === 0) return false
    response.statusCode = 429
    response.setHeader('Retry-After', waitSeconds)
    send(
      request,
      response,
      `${failWith(id, rpcError('rateLimited', `rate limit exceeded, retry in ${waitSeconds} s`))}\n`,
    )
    return true
  }

  const idOf = ({ isBatch, messages }: Payload): string => (isBatch ? 'null' : (messages[0]?.id ?? 'null'))

  const sendAnswer = (request: IncomingMessage, response: ServerResponse, text = ''): void => {
    limiter?.charge(findAddress(request), answerCost(text.length))
    send(request, response, text)
  }

  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const reading = bodyCost(body.length)
    if (isLimited(request, response, reading)) return
    const payload = responder.parse(body)
    const isRefused = (cost: number, id?: string): boolean => {
      if (reading === 0) return isLimited(request, response, cost, id)
      // It was let in by its length, and a full bucket lets in everything once: the rest it may owe.
      limiter?.charge(findAddress(request), cost)
      return false
    }
    if (typeof payload === 'string') {
      if (isRefused(PLAIN_COST)) return
      return send(request, response, { empty: '', malformed: PARSE_ERROR, crowded: `${CROWDED}\n` }[payload])
    }
    if (isRefused(responder.cost(payload), idOf(payload))) return
    const text = responder.respond(payload, { client: () => clientOf(findAddress(request)) })
    if (text instanceof Promise) void text.then((late) => sendAnswer(request, response, late))
    else sendAnswer(request, response, text)
  }

  /** What names no method has a cost too. */
  const isPlainLimited = (request: IncomingMessage, response: ServerResponse): boolean => {
    const waitSeconds = limiter?.take(findAddress(request), PLAIN_COST) ?? 0
    if (waitSeconds === 0) return false
    response.setHeader('Retry-After', waitSeconds)
    response.setHeader('Connection', 'close')
    refuse(response, 429, `rate limit exceeded, retry in ${waitSeconds} s`)
    return true
  }

  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    let chunks: Buffer[] | undefined
    let first: Buffer | undefined
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > bodyLimit) {
        // Only a body of unannounced length gets here; geth reads up to the limit, where it is no JSON any more.
        request.pause()
        request.removeAllListeners('data').removeAllListeners('end')
        response.setHeader('Connection', 'close')
        limiter?.charge(findAddress(request), bodyCost(length))
        send(request, response, PARSE_ERROR)
        return
      }
      if (first === undefined) first = chunk
      else (chunks ??= [first]).push(chunk)
    })
    request.on('end', () => {
      const body = chunks === undefined ? first : Buffer.concat(chunks, length)
      answer(request, response, body === undefined ? '' : body.toString('utf8'))
    })
  }

  return (request, response) => {
    if (!isRpcRequest(request)) {
      if (!isPlainLimited(request, response)) options.pages(request, response)
      return
    }
    const announced = Number(request.headers['content-length'] ?? 0)
    const type = request.headers['content-type']
    const isTyped = type === 'application/json' || JSON_TYPE.test(type ?? '')
    if ((announced > bodyLimit || !isTyped) && isPlainLimited(request, response)) return
    if (announced > bodyLimit) {
      response.setHeader('Connection', 'close')
      response.statusMessage = 'Request Entity Too Large'
      return refuse(response, 413, `content length too large (${announced}>${bodyLimit})`)
    }
    if (!isTyped) {
      return refuse(response, 415, 'invalid content type, only application/json is supported')
    }
    return receive(request, response)
  }
}

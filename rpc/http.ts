/** JSON-RPC over HTTP on node:http: the path of most requests, so nothing stands between the socket and the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { askerOn } from './asker.ts'
import { BodyBuffer } from './body-buffer.ts'
import { CROWDED, failWith, PARSE_ERROR, type Responder } from './envelope.ts'
import { answerCost, bodyCost, PLAIN_COST } from './costs.ts'
import { invariant } from '../core/errors.ts'
import { rpcError } from './errors.ts'
import { admitLater, clientOf, type FindAddress, type RateLimiter } from './limits.ts'
import { allowedOrigin } from './origins.ts'
import type { ConnectionMemory } from './connection-memory.ts'
import { beginsTooDeep, EARLY_BYTES, replyIdOf, type Unreadable } from './payload.ts'
import type { LongReply, Reply } from './replies.ts'
import { LARGE_BODY_BYTES, LargeBodies } from './large-bodies.ts'
import { LONG_REQUEST_BYTES, type LongOutcome, type LongRequests } from './long-requests/long-requests.ts'
import { type BodyPieces, TOO_SMALL_PIECES } from './small-pieces.ts'
import { PART_OF_BATCH, SHORT_LENGTH, type Turns } from './turns.ts'

export interface HttpOptions {
  readonly responder: Responder
  readonly bodyLimit: number
  /** A client has so long to take a large answer. */
  readonly timeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly turns: Turns
  readonly memory: ConnectionMemory
  readonly pieces: BodyPieces
  /** Left out where the application is in this process: then this thread reads what is long, too. */
  readonly longRequests: LongRequests | undefined
  /** Everything that is not JSON-RPC. */
  readonly pages: (request: IncomingMessage, response: ServerResponse) => void
}

/** geth takes these three. */
const JSON_TYPE = /^\s*application\/(?:json|json-rpc|jsonrequest)\s*(?:;\s*[^\s;="]+=(?:"[^"]*"|[^\s;"]+)\s*)*;?\s*$/i

/** A whole URL was cut to its path before (hosts.ts). */
const isRpcPath = (url: string | undefined): boolean => url === '/' || url?.startsWith('/?') === true

/** A GET without query and body says that the server is there, whatever type it names. */
const isBareGet = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && url?.includes('?') !== true && Number(headers['content-length'] ?? 0) === 0

/** The verb hardly matters, as in geth, if the type is right; GET without a body, PUT, ... have pages of their own. */
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

/** In one system call, as far as the socket takes it. */
const endWith = (response: ServerResponse, { pieces }: LongReply): void => {
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
  response.uncork()
}

/** What a body gets that holds no request. */
const UNREADABLE: Readonly<Record<Unreadable, string>> = {
  empty: '',
  malformed: PARSE_ERROR,
  crowded: `${CROWDED}\n`,
}

/** Characters: what connections take at once, or nearly so. */
const LARGE_ANSWER = 1024 * 1024

export const createHttpHandler = (
  options: HttpOptions,
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  const { responder, bodyLimit, corsOrigins, limiter, findAddress, turns, memory, longRequests, timeoutMs } = options
  const { pieces } = options

  const send = (request: IncomingMessage, response: ServerResponse, text: Reply): void => {
    if (response.destroyed) return
    const isLarge = text.length > LARGE_ANSWER
    if (isLarge && !memory.holdUntilSent(request, response, text.length, timeoutMs)) {
      return refuse(response, 503, 'too many large answers are being sent, try again')
    }
    const length = typeof text === 'string' ? Buffer.byteLength(text) : text.length
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(length)]
    const { origin } = request.headers
    if (origin !== undefined) {
      headers.push('Vary', 'Origin')
      const allowed = allowedOrigin(corsOrigins, origin)
      if (allowed !== undefined) headers.push('Access-Control-Allow-Origin', allowed)
    }
    response.writeHead(response.statusCode, headers)
    if (typeof text === 'string') response.end(text)
    else endWith(response, text)
  }

  /** An answer that is made of much text takes a turn. */
  const sendLate = (request: IncomingMessage, response: ServerResponse, text: Reply): void => {
    if (text.length <= SHORT_LENGTH) send(request, response, text)
    else turns.run(request.socket, text.length, () => send(request, response, text))
  }

  const sendLimited = (request: IncomingMessage, response: ServerResponse, waitSeconds: number, id: string): void => {
    response.statusCode = 429
    if (!response.destroyed) response.setHeader('Retry-After', waitSeconds)
    send(
      request,
      response,
      `${failWith(id, rpcError('rateLimited', `rate limit exceeded, retry in ${waitSeconds} s`))}\n`,
    )
  }

  /** True when the client has used up its rate; the refusal has been sent then. */
  const isLimited = (request: IncomingMessage, response: ServerResponse, cost: number, id = 'null'): boolean => {
    const waitSeconds = cost === 0 ? 0 : (limiter?.take(findAddress(request), cost) ?? 0)
    if (waitSeconds > 0) sendLimited(request, response, waitSeconds, id)
    return waitSeconds > 0
  }

  const sendAnswer = (request: IncomingMessage, response: ServerResponse, text: Reply = ''): void => {
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
      return send(request, response, UNREADABLE[payload])
    }
    if (isRefused(responder.cost(payload), replyIdOf(payload))) return
    const share = payload.isBatch ? memory.shareOf(request) : undefined
    let held = 0
    const text = responder.respond(payload, {
      asker: () => askerOn(request.socket, clientOf(findAddress(request))),
      takeTurn: (work) => turns.take(request.socket, PART_OF_BATCH, work),
      hold: (bytes) => {
        if (response.destroyed || share?.hold(bytes) === false) return false
        held += bytes
        return true
      },
    })
    if (!(text instanceof Promise)) return sendAnswer(request, response, text)
    return void text.then((late) => {
      share?.give(held)
      limiter?.charge(findAddress(request), answerCost(late?.length ?? 0))
      sendLate(request, response, late ?? '')
    })
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

  const large = new LargeBodies()

  const sendOutcome = (request: IncomingMessage, response: ServerResponse, outcome: LongOutcome): void => {
    switch (outcome.kind) {
      case 'reply': {
        const { reply = '' } = outcome
        limiter?.charge(findAddress(request), answerCost(reply.length))
        return sendLate(request, response, reply)
      }
      case 'unreadable':
        limiter?.charge(findAddress(request), PLAIN_COST)
        return send(request, response, UNREADABLE[outcome.why])
      case 'refused':
        return sendLimited(request, response, outcome.waitSeconds, outcome.replyId)
      case 'lost':
        return send(request, response, `${failWith('null', outcome.error)}\n`)
      case 'subscribes':
        invariant(false, 'a subscription over HTTP')
    }
  }

  /** Read and answered by another thread. `onRead` is called when it has been read. */
  const answerLong = async (
    { answer: answerElsewhere }: LongRequests,
    request: IncomingMessage,
    response: ServerResponse,
    body: BodyBuffer,
    onRead: () => void,
  ): Promise<void> => {
    if (isLimited(request, response, bodyCost(body.length))) return onRead()
    const share = memory.shareOf(request)
    let held = 0
    const outcome = await answerElsewhere(body.give(), {
      asker: askerOn(request.socket, clientOf(findAddress(request))),
      canSubscribe: false,
      admit(cost) {
        onRead()
        return admitLater(limiter, findAddress(request), cost)
      },
      hold(bytes) {
        if (response.destroyed || !share.hold(bytes)) return false
        held += bytes
        return true
      },
    })
    onRead()
    share.give(held)
    sendOutcome(request, response, outcome)
  }

  const receive = (request: IncomingMessage, response: ServerResponse, announced: number): void => {
    const body = new BodyBuffer(() => {
      response.once('close', () => body.release())
      return memory.shareOf(request)
    })
    let isLarge = false
    let isLookedAt = false
    const isTooDeep = (): boolean => {
      if (isLookedAt || body.length < EARLY_BYTES) return false
      isLookedAt = true
      return beginsTooDeep(body.read())
    }
    const beLarge = (): void => {
      isLarge = true
      response.once('close', () => large.end(request))
      large.begin(request, clientOf(findAddress(request)))
    }
    /** The rest of the body is not read. */
    const giveUp = (answerWith: () => void): void => {
      request.pause()
      request.removeAllListeners('data').removeAllListeners('end')
      body.release()
      large.end(request)
      response.setHeader('Connection', 'close')
      answerWith()
    }
    request.on('data', (chunk: Buffer) => {
      const length = body.length + chunk.length
      if (length > bodyLimit) {
        // Only a body of unannounced length gets here; geth reads up to the limit, where it is no JSON any more.
        limiter?.charge(findAddress(request), bodyCost(length))
        giveUp(() => send(request, response, PARSE_ERROR))
      } else if (pieces.hasEnded(request.socket)) {
        limiter?.charge(findAddress(request), PLAIN_COST)
        giveUp(() => refuse(response, 400, TOO_SMALL_PIECES))
      } else if (!body.push(chunk)) {
        giveUp(() => refuse(response, 503, 'too many unfinished requests are held, try again'))
      } else if (isTooDeep()) {
        limiter?.charge(findAddress(request), bodyCost(length))
        giveUp(() => send(request, response, PARSE_ERROR))
      } else if (isLarge) {
        large.arrived(request)
      } else if (body.length >= LARGE_BODY_BYTES) {
        beLarge()
      }
    })
    request.on('end', () => {
      large.arrived(request, true)
      if (longRequests !== undefined && body.length >= LONG_REQUEST_BYTES) {
        void answerLong(longRequests, request, response, body, () => large.end(request))
        return
      }
      turns.run(request.socket, body.length, () => {
        if (isLarge) large.end(request)
        if (response.destroyed) return
        const text = body.read().toString('utf8')
        // The answer may take long, and nothing of the body is kept for it.
        body.release()
        answer(request, response, text)
      })
    })
    if (announced >= LARGE_BODY_BYTES) beLarge()
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
    return receive(request, response, announced)
  }
}

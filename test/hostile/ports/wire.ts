/** What an attacker writes with: requests over HTTP that never throw, connections of raw bytes, and JSON-RPC as text. */
import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, leftMs, pump } from './attack.ts'

export interface HttpReply {
  /** Undefined when there was none: `failure` says why. */
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** The first bytes of a long body, up to {@link KEPT_BYTES}. */
  readonly text: string
  readonly bytes: number
  readonly milliseconds: number
  readonly failure: string | undefined
}

export interface HttpQuestion {
  readonly method?: 'GET' | 'POST'
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
  readonly limitMs?: number
}

const KEPT_BYTES = 4_000_000
const DEFAULT_LIMIT_MS = 10_000
const NO_ANSWER = 'no answer in time'

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message)

/** One request. Never rejects. */
export const askHttp = (url: string, question: HttpQuestion = {}): Promise<HttpReply> => {
  const { body, agent, limitMs = DEFAULT_LIMIT_MS } = question
  const method = question.method ?? (body === undefined ? 'GET' : 'POST')
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const headers = { 'content-type': 'application/json', ...length, ...question.headers }
  const startMs = performance.now()
  return new Promise((resolve) => {
    let [bytes, status] = [0, undefined as number | undefined]
    let received: IncomingHttpHeaders = {}
    const kept: Buffer[] = []
    const settle = (failure: string | undefined): void => {
      clearTimeout(timer)
      const text = Buffer.concat(kept).toString('utf8')
      resolve({ status, headers: received, text, bytes, milliseconds: performance.now() - startMs, failure })
    }
    const request = openRequest(url, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      status = response.statusCode
      received = response.headers
      response.on('data', (part: Buffer) => {
        bytes += part.length
        if (bytes <= KEPT_BYTES) kept.push(part)
      })
      response.once('end', () => settle(undefined))
      response.once('error', (error) => settle(codeOf(error)))
    })
    const timer = setTimeout(() => {
      settle(NO_ANSWER)
      request.destroy()
    }, limitMs)
    request.once('error', (error) => settle(codeOf(error)))
    request.end(body)
  })
}

export const keptAlive = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections })

/** A call as text. */
export const rpcText = (method: string, params: readonly unknown[] = [], id = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`

export const batchText = (count: number, call: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => call(index)).join(',')}]`

/** The first error in a text of JSON-RPC, as its code and its words without what differs from call to call. */
export const firstError = (text: string): string | undefined => {
  const found = /"error":\{"code":(-?\d+),"message":"((?:[^"\\]|\\.)*)/.exec(text)
  return found === null ? undefined : `${found[1]} ${found[2]?.replaceAll(/0x[0-9a-f]+|\d+/g, '#').slice(0, 50)}`
}

export const outcomeOf = ({ status, text, failure }: HttpReply): string => {
  if (failure !== undefined) return failure
  return status === 200 ? (firstError(text) ?? 'ok') : `HTTP ${status}`
}

/** Calls over `width` kept connections until the time is over, or `count` of them. */
export const flood = async (
  assault: Assault,
  width: number,
  textOf: (index: number) => string | Buffer,
  count = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const agent = keptAlive(width)
  await pump(assault, { count, width }, async (index) => {
    const limitMs = leftMs(assault) + 1_000
    assault.tally.add(outcomeOf(await askHttp(assault.target.http, { body: textOf(index), agent, limitMs })))
  })
  agent.destroy()
}

/** GETs of one path after the other. */
export const floodPaths = async (assault: Assault, base: string, width: number, paths: readonly string[]) => {
  const agent = keptAlive(width)
  await pump(assault, { width }, async (index) => {
    const limitMs = leftMs(assault) + 1_000
    const { status, failure } = await askHttp(base + paths[index % paths.length], { method: 'GET', agent, limitMs })
    assault.tally.add(failure ?? `HTTP ${status}`)
  })
  agent.destroy()
}

export interface Place {
  readonly host: string
  readonly port: number
}

/** The place of `host:port` or a URL with a port. */
export const placeOf = (address: string): Place => {
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`)
  return { host: hostname, port: Number(port) }
}

/** A connection of raw bytes; undefined when it is not taken. Its errors are its end. */
export const connectTo = (address: string, limitMs = 5_000): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ ...placeOf(address), noDelay: true })
    const timer = setTimeout(() => {
      socket.destroy()
      resolve(undefined)
    }, limitMs)
    const settle = (result: Socket | undefined): void => {
      clearTimeout(timer)
      resolve(result)
    }
    socket.once('connect', () => settle(socket))
    socket.on('error', () => settle(undefined))
  })

/** Waits until the other side takes more, has closed, or `limitMs` has passed. */
export const untilDrained = async (socket: Socket, limitMs: number): Promise<void> => {
  const stop = new AbortController()
  const drained = new Promise<void>((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle)
      stop.abort()
      resolve()
    }
    socket.once('drain', settle).once('close', settle)
  })
  await Promise.race([drained, sleep(limitMs, undefined, { signal: stop.signal }).catch(() => undefined)])
}

export const LOOPBACK_HOST = 'Host: 127.0.0.1\r\n'

/** A request of JSON-RPC over HTTP/1.1 as the bytes of its connection. */
export const rawPost = (body: string): string =>
  `POST / HTTP/1.1\r\n${LOOPBACK_HOST}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** The head of a POST whose body is announced to have `bytes`. */
export const rawHead = (bytes: number): string =>
  `POST / HTTP/1.1\r\n${LOOPBACK_HOST}content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`

/** Writes, and gives the first line of what comes back. */
export const exchange = async (address: string, payload: string, limitMs: number): Promise<string> => {
  const socket = await connectTo(address)
  if (socket === undefined) return 'not connected'
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1', 0, 200).split('\r\n')[0] ?? ''))
    socket.once('close', () => resolve('closed'))
  })
  socket.write(payload)
  const line = await Promise.race([answer, sleep(limitMs, NO_ANSWER)])
  socket.destroy()
  return line
}

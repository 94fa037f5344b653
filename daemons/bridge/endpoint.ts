/**
 * One JSON-RPC endpoint over HTTP. Each answer is bounded in bytes and in time, headers included. Node's own HTTP takes less
 * memory than fetch. The name of an endpoint is its host: paths and users of URLs are often keys, and are never said.
 */
import type * as http from 'node:http'
import type * as https from 'node:https'
import { errorText } from '../../core/errors.ts'
import { daemonError } from './errors.ts'

/** An import would load WebSocket and fetch with it, 14 MB that are not needed; TLS is 6 MB more. */
const loadHttp = (): typeof http => process.getBuiltinModule('node:http')
const loadHttps = (): typeof https => process.getBuiltinModule('node:https')

export interface CallLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

export interface Endpoint {
  /** Host and port, for people. */
  readonly name: string
  /** The result, not looked at. Rejects with a fault of the table. */
  call(method: string, parameters: readonly unknown[], limits: CallLimits): Promise<unknown>
  close(): void
}

const MAX_SAID_CHARACTERS = 200

/** What an endpoint says is shortened and freed of what a terminal would act upon. */
export const saidBy = (text: unknown): string =>
  (typeof text === 'string' ? text : 'no text').slice(0, MAX_SAID_CHARACTERS).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')

const tooLarge = (name: string, method: string, maxBytes: number): Error =>
  daemonError('tooLarge', `${name}: the answer to ${method} is longer than ${maxBytes} bytes`)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The result of a reply. Throws where the endpoint refused, or speaks something else. */
export const readReply = (name: string, method: string, id: number, status: number, body: string): unknown => {
  if (status === 429) throw daemonError('limited', `${name}: HTTP 429`)
  let reply: unknown
  try {
    reply = JSON.parse(body)
  } catch {
    if (status !== 200) throw daemonError('unreachable', `${name}: HTTP ${status}`)
    throw daemonError('malformed', `${name}: malformed answer to ${method}: no JSON`)
  }
  if (isObject(reply) && isObject(reply['error'])) {
    throw daemonError('limited', `${name}: ${method} refused: ${saidBy(reply['error']['message'])}`)
  }
  if (status !== 200) throw daemonError('unreachable', `${name}: HTTP ${status}`)
  if (!isObject(reply) || reply['id'] !== id || reply['result'] === undefined) {
    throw daemonError('malformed', `${name}: malformed answer to ${method}: no result`)
  }
  return reply['result']
}

class HttpEndpoint implements Endpoint {
  readonly name: string
  readonly #url: URL
  readonly #agent: http.Agent
  #nextId = 1

  constructor(url: URL) {
    this.#url = url
    this.name = url.host
    const options = { keepAlive: true, maxSockets: 2 }
    this.#agent = url.protocol === 'https:' ? new (loadHttps().Agent)(options) : new (loadHttp().Agent)(options)
  }

  async call(method: string, parameters: readonly unknown[], limits: CallLimits): Promise<unknown> {
    const id = this.#nextId++
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: parameters })
    const { status, text } = await this.#post(method, body, limits)
    return readReply(this.name, method, id, status, text)
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(method: string, body: string, limits: CallLimits): Promise<{ status: number; text: string }> {
    const { name } = this
    const { maxBytes, timeoutMs } = limits
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const { request } = this.#url.protocol === 'https:' ? loadHttps() : loadHttp()
    const asked = request(this.#url, {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    const timer = setTimeout(() => {
      reject(daemonError('unreachable', `${name}: no answer within ${timeoutMs / 1000} s`))
      asked.destroy()
    }, timeoutMs)
    asked.on('error', (error) => reject(daemonError('unreachable', `${name}: no answer: ${saidBy(errorText(error))}`)))
    asked.on('close', () => {
      clearTimeout(timer)
      reject(daemonError('unreachable', `${name}: no answer: the connection was closed`))
    })
    asked.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= maxBytes) return chunks.push(chunk)
        reject(tooLarge(name, method, maxBytes))
        return asked.destroy()
      })
      response.on('error', (error) =>
        reject(daemonError('unreachable', `${name}: no answer: ${saidBy(error.message)}`)),
      )
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    asked.end(body)
    return promise
  }
}

export const openEndpoint = (url: string): Endpoint => new HttpEndpoint(new URL(url))

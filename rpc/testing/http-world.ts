/** A gateway over HTTP before an application in memory, anew for each test. */
import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach } from 'vitest'
import { GatewayWorld } from './gateway-world.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** What JSON-RPC answers. */
interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export const JSON_HEADERS = { 'content-type': 'application/json' }

export class HttpWorld extends GatewayWorld {
  constructor() {
    super('address')
  }

  get port(): number {
    return Number(new URL(`http://${this.gateway.address}`).port)
  }

  send(method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const options = { hostname: '127.0.0.1', port: this.port, method, path, headers, agent: false as const }
      const request = httpRequest(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      })
      request.on('error', reject)
      request.end(body)
    })
  }

  post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('POST', '/', { ...JSON_HEADERS, ...headers }, body)
  }

  async ask(method: string, params: unknown = []): Promise<Answer> {
    const { body } = await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(body) as Answer
  }
}

/** Starts one before each test, and closes it after. */
export const useHttpWorld = (): HttpWorld => {
  const world = new HttpWorld()
  beforeEach(() => world.start())
  afterEach(() => world.gateway.close())
  return world
}

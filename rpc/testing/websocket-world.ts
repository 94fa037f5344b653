/** A gateway over WebSocket before an application in memory, anew for each test, and the clients that it has. */
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach } from 'vitest'
import WebSocket from 'ws'
import { GatewayWorld } from './gateway-world.ts'

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface WebSocketClient {
  readonly socket: WebSocket
  send(method: string, params?: unknown, id?: unknown): void
  /** The next message. */
  next(): Promise<string>
  request(method: string, params?: unknown): Promise<Reply>
}

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')

export class WebSocketWorld extends GatewayWorld {
  constructor() {
    super('wsAddress')
  }

  get url(): string {
    return `ws://${this.gateway.wsAddress}`
  }

  async open(path = '/', headers: Record<string, string> = {}): Promise<WebSocketClient> {
    const socket = new WebSocket(`${this.url}${path}`, { headers })
    const messages: string[] = []
    const waiters: ((text: string) => void)[] = []
    socket.on('message', (data: Buffer) => {
      const waiter = waiters.shift()
      if (waiter === undefined) messages.push(data.toString())
      else waiter(data.toString())
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const next = (): Promise<string> => {
      const message = messages.shift()
      return message === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(message)
    }
    const send = (method: string, params?: unknown, id: unknown = 1): void =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const request = async (method: string, params?: unknown): Promise<Reply> => {
      send(method, params)
      return JSON.parse(await next()) as Reply
    }
    return { socket, send, next, request }
  }

  /** A WebSocket that answers nothing by itself. */
  connectRaw(): Socket {
    const socket = connect(Number(new URL(this.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(HANDSHAKE)
    return socket
  }
}

/** The code with which it is closed. */
export const closing = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', resolve))

export const useWebSocketWorld = (): WebSocketWorld => {
  const world = new WebSocketWorld()
  beforeEach(() => world.start())
  afterEach(() => world.gateway.close())
  return world
}

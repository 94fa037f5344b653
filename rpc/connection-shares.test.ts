/** One client with more connections than a server has room for, beside another one: real sockets from addresses of loopback. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { requireHostPort } from './stream/address.ts'
import { createOwnerFinder } from './connection-shares.ts'
import { serveGrpcHttp2 } from './grpc/server.ts'
import { createHttpServer } from './http-server.ts'

const MOST = 8
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const open = async (port: number, localAddress: string): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  closers.push(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends bytes and tells with which the answer begins; empty where the connection ends without one. */
const say = (socket: Socket, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString().slice(0, 12)))
    socket.once('close', () => resolve(''))
    if (socket.closed) resolve('')
    else socket.write(bytes)
  })
const ask = (socket: Socket): Promise<string> => say(socket, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')

const serve = async (trusted: readonly string[] = []): Promise<number> => {
  const limits = { timeoutMs: 10_000, idleTimeoutMs: 10_000, maxConnections: MOST, ownerOf: createOwnerFinder(trusted) }
  const server = createHttpServer(limits, (_, response) => void response.end('here'))
  const { port } = requireHostPort(await server.listen('127.0.0.1:0'))
  closers.push(() => server.close())
  return port
}

/** Takes all that there are, and waits until the server has seen each. */
const fill = async (port: number, address: string): Promise<Socket[]> => {
  const sockets: Socket[] = []
  for (let count = 0; count < MOST; count++) {
    const socket = await open(port, address)
    expect(await ask(socket)).toBe('HTTP/1.1 200')
    sockets.push(socket)
  }
  return sockets
}

describe('a server that is full', () => {
  it('takes others beside a client that has all connections, which loses its newest', async () => {
    const port = await serve()
    const held = await fill(port, '127.0.0.2')
    const gone = once(held.at(-1) as Socket, 'close')
    expect(await ask(await open(port, '127.0.0.3'))).toBe('HTTP/1.1 200')
    await gone
    expect(held.filter(({ closed }) => !closed)).toHaveLength(MOST - 1)
    // The greedy one gets no other, and whoever left makes room.
    expect(await ask(await open(port, '127.0.0.2'))).toBe('')
    expect(await ask(await open(port, '127.0.0.4'))).toBe('HTTP/1.1 200')
    expect(held.filter(({ closed }) => !closed).length).toBeGreaterThanOrEqual(MOST - 2)
  })

  it('lets two clients have half each, and ends no connection of theirs for the other', async () => {
    const port = await serve()
    const first = await fill(port, '127.0.0.2')
    const second: Socket[] = []
    for (let count = 0; count < MOST; count++) second.push(await open(port, '127.0.0.3'))
    const answers = await Promise.all(second.map(ask))
    expect(answers.filter((answer) => answer !== '')).toHaveLength(MOST / 2)
    expect(first.slice(0, MOST / 2).filter(({ closed }) => closed)).toEqual([])
  })

  it('counts a trusted proxy as many clients, which lose nothing', async () => {
    const port = await serve(['127.0.0.2'])
    const held = await fill(port, '127.0.0.2')
    expect(await ask(await open(port, '127.0.0.3'))).toBe('')
    expect(held.filter(({ closed }) => closed)).toEqual([])
  })

  it('of gRPC does the same', async () => {
    const server = await serveGrpcHttp2({
      host: '127.0.0.1',
      port: 0,
      methods: new Map(),
      maxReceiveBytes: 1_000,
      maxSendBytes: 1_000,
      maxConnections: MOST,
      toStatus: () => ({ code: 2, message: '' }),
    })
    closers.push(() => server.close())
    /** The server begins with its settings. */
    const isGreeted = async (address: string): Promise<boolean> => {
      const settings = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0'
      return (await say(await open(server.port, address), settings)) !== ''
    }
    for (let count = 0; count < MOST; count++) expect(await isGreeted('127.0.0.2')).toBe(true)
    expect(await isGreeted('127.0.0.3')).toBe(true)
    expect(await isGreeted('127.0.0.2')).toBe(false)
  })
})

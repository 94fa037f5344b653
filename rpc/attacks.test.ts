/** What a client with a raw socket can do to a gateway: nothing of it stays, and nothing of it holds up the end. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectHttp2 } from 'node:http2'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { Floods } from './floods.ts'
import { startGateway, type Gateway } from './gateway.ts'
import { SILENT_LOG } from './log.ts'
import { GATEWAY_DEFAULTS } from './settings.ts'
import { LargeBodies } from './large-bodies.ts'
import { createMemoryApplication, type MemoryApplication } from './testing/memory-application.ts'

let application: MemoryApplication
let gateway: Gateway
let sockets: Socket[] = []

beforeEach(async () => {
  application = createMemoryApplication()
  const any = '127.0.0.1:0'
  const addresses = { address: any, wsAddress: any, restAddress: any, grpcAddress: any }
  gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...addresses }, application, SILENT_LOG)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  vi.restoreAllMocks()
  await gateway.close()
})

const open = async (address: string | undefined): Promise<Socket> => {
  const { port } = new URL(`http://${address}`)
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

describe('a refused upgrade', () => {
  test('ends its connection, also of a client that never ends it', async () => {
    const socket = await open(gateway.wsAddress)
    socket.write('GET /none HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    const [text] = (await once(socket, 'data')) as [Buffer]
    expect(text.toString()).toContain('404 Not Found')
    // The client keeps its side open: a server that waits for it would not end.
    await gateway.close()
  })

  test('is also one that comes while the gateway stops', async () => {
    const socket = await open(gateway.wsAddress)
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n')
    socket.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n')
    // Another connection tells when the bytes above were read.
    const probe = await open(gateway.wsAddress)
    probe.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(probe, 'data')
    probe.destroy()
    const closed = gateway.close()
    socket.write('\r\n')
    const [text] = (await once(socket, 'data')) as [Buffer]
    expect(text.toString()).toContain('503 Service Unavailable')
    await closed
  })
})

const post = (length: number, body: string): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`

test('a long body behind an unanswered request takes no place of those that are read', async () => {
  const begun: object[] = []
  const { begin } = LargeBodies.prototype
  vi.spyOn(LargeBodies.prototype, 'begin').mockImplementation(function (this: LargeBodies, body, client) {
    begun.push(body)
    begin.call(this, body, client)
  })
  application.answers.gasPrice = () => new Promise(() => undefined)
  const first = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}'
  for (let count = 0; count < 6; count++) {
    const socket = await open(gateway.address)
    socket.write(post(first.length, first) + post(600_000, '['))
  }
  await expect.poll(() => application.asked.filter(({ name }) => name === 'gasPrice').length).toBe(6)
  const honest = await open(gateway.address)
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  honest.write(post(600_000, call + ' '.repeat(600_000 - call.length)))
  expect(String(await once(honest, 'data'))).toContain('"result"')
  expect(begun).toHaveLength(1)
})

test('requests far ahead of what their client reads end its connection, and others wait for none of them', async () => {
  application.answers.gasPrice = () => new Promise(() => undefined)
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}'
  const [patient, greedy] = [await open(gateway.address), await open(gateway.address)]
  const closed = new Promise((resolve) => greedy.resume().on('end', resolve).on('close', resolve))
  patient.write(post(body.length, body).repeat(100))
  greedy.write(post(body.length, body).repeat(300))
  await closed
  // One of each at most: the others have not begun.
  expect(application.asked.filter(({ name }) => name === 'gasPrice').length).toBeLessThanOrEqual(2)
  expect(patient.destroyed).toBe(false)
})

describe('a WebSocket', () => {
  test('that goes within a batch of subscriptions leaves none behind', async () => {
    const socket = new WebSocket(`ws://${gateway.wsAddress}`)
    await once(socket, 'open')
    const item = (id: number, method: string, params: unknown[]): unknown => ({ jsonrpc: '2.0', id, method, params })
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
    const { promise: answer, resolve: onAnswer } = Promise.withResolvers<string>()
    application.answers.gasPrice = () => {
      onAsked()
      return answer
    }
    const { promise: told, resolve: onTold } = Promise.withResolvers<void>()
    application.answers.logsPage = () => {
      onTold()
      return '{"next":null,"logs":[]}'
    }
    const slow = Array.from({ length: 200 }, (_, id) => item(id, 'eth_gasPrice', []))
    const late = Array.from({ length: 200 }, (_, id) => item(id, 'eth_subscribe', ['logs', {}]))
    socket.send(JSON.stringify([...slow, ...late]))
    await asked
    socket.terminate()
    // The server has read the end when it has answered a connection that came later.
    const later = new WebSocket(`ws://${gateway.wsAddress}`)
    await once(later, 'open')
    later.terminate()
    onAnswer('"0x1"')
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    application.commit({ logCount: 1 })
    const nothing = new Promise((resolve) => setImmediate(resolve, 'nothing'))
    expect(await Promise.race([told.then(() => 'asked for logs'), nothing])).toBe('nothing')
  })

  test('that is cut for what it sent, and takes nothing, is gone soon', async () => {
    application.answers.gasPrice = () => `"${'1'.repeat(8_000_000)}"`
    const socket = new WebSocket(`ws://${gateway.wsAddress}`)
    socket.on('error', () => undefined)
    await once(socket, 'open')
    socket.pause()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    application.answers.maxPriorityFeePerGas = () => '"0x1"'
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}')
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}')
    socket.send('x')
    // Writing on shows that the other side is gone, without reading.
    const writing = setInterval(() => {
      if (socket.readyState === socket.OPEN) socket.send('y'.repeat(1_000), (error) => error && resolve(error))
      else resolve('closed')
    }, 50)
    expect(await promise).toBeDefined()
    clearInterval(writing)
    socket.terminate()
  })
})

test.each([0, 2, 8])('gRPC streams that a client resets with code %i are a flood', async (code) => {
  const noted = vi.spyOn(Floods.prototype, 'note')
  application.answers.native = () => new Promise(() => undefined)
  const client = connectHttp2(`http://${gateway.grpcAddress}`)
  client.on('error', () => undefined)
  await once(client, 'connect')
  for (let count = 0; count < 120; count++) {
    const stream = client.request({
      ':method': 'POST',
      ':path': '/cosmos.bank.v1beta1.Query/Params',
      'content-type': 'application/grpc',
    })
    stream.on('error', () => undefined)
    stream.write(Buffer.alloc(5))
    // The server has the stream when it has answered a ping that came behind it.
    await new Promise((resolve) => client.ping(resolve))
    const closed = new Promise<void>((resolve) => stream.on('close', resolve))
    stream.close(code)
    await closed
  }
  await expect.poll(() => noted).toHaveBeenCalled()
  client.destroy()
})

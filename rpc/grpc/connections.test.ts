/** Connections over time: clients that do not read, that reset their calls or ask nothing, and a server that closes. */
import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MemoryBudget } from '../memory-budget.ts'
import { frameMessage } from './message.ts'
import type { GrpcMethod } from './methods.ts'
import { serveGrpcHttp2 } from './server.ts'
import {
  expectAlive,
  MAX_RECEIVE,
  MAX_SEND,
  PATH,
  prefixOf,
  type Raw,
  read,
  request,
  statusOf,
  useServer,
} from './testing/server.ts'

const grpc = useServer()

describe('of clients that do not read', () => {
  it('keeps large answers in bounded memory and for a bounded time', async () => {
    await grpc.start({ maxUnsentBytes: 2 * MAX_SEND, sendTimeoutMs: 6_000 })
    const session = grpc.openSession()
    const closed = once(session, 'close')
    const body = frameMessage(Buffer.from(String(MAX_SEND)))
    const streams = [0, 1].map(() => request(session, PATH.big))
    for (const stream of streams) stream.end(body)
    await Promise.all(streams.map((stream) => once(stream, 'response')))
    expect(statusOf(await grpc.send(body, {}, PATH.big))).toEqual([
      '8',
      'too many large answers are being sent, try again',
    ])
    await expectAlive(grpc)
    await closed
    await expect.poll(() => grpc.server?.unsentBytes).toBe(0)
    expect((await grpc.send(body, {}, PATH.big)).bytes).toHaveLength(MAX_SEND + 5)
  })

  it('frees what a client does not even take from its socket', async () => {
    await grpc.start({ sendTimeoutMs: 200 })
    const socket = await grpc.openSocket()
    socket.removeAllListeners('data')
    const tap = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, () => done()),
    })
    socket.on('data', (chunk: Buffer) => tap.push(chunk))
    const settings = { initialWindowSize: 2 ** 31 - 1 }
    const session = connect(`http://127.0.0.1:${grpc.port}`, { createConnection: () => tap, settings })
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    session.setLocalWindowSize(2 ** 31 - 1)
    socket.pause()
    for (let index = 0; index < 4; index++) {
      request(session, PATH.big).end(frameMessage(Buffer.from(String(MAX_SEND))))
    }
    await expect.poll(() => grpc.server?.unsentBytes).toBeGreaterThan(MAX_SEND)
    await expect.poll(() => grpc.server?.unsentBytes).toBe(0)
    await expectAlive(grpc)
  })

  it('counts what a stream that they follow has written, and refuses it where there is no room', async () => {
    const snapshot = Buffer.alloc(3_000_000, 7)
    let told = 0
    const methods = new Map<string, GrpcMethod>([
      ...grpc.createMethods(),
      [
        '/t.T/Follow',
        {
          kind: 'follow',
          open(_request, _caller, feed) {
            feed.send(snapshot)
            told++
            return Promise.resolve(() => undefined)
          },
        },
      ],
    ])
    const budget = new MemoryBudget(10_000_000)
    await grpc.start({ methods, budget })
    const session = grpc.openSession()
    const streams = [0, 1, 2].map(() => request(session, '/t.T/Follow'))
    for (const stream of streams) stream.end(frameMessage(Buffer.from('x')))
    await Promise.all(streams.map((stream) => once(stream, 'response')))
    expect(told).toBe(3)
    expect(budget.held).toBe(3 * snapshot.length)
    const fourth = request(session, '/t.T/Follow')
    fourth.end(frameMessage(Buffer.from('x')))
    expect(statusOf(await read(fourth))).toEqual(['8', 'too slow: messages were left unread'])
    // Who reads gives it back.
    streams[0]?.resume()
    await expect.poll(() => budget.held).toBe(2 * snapshot.length)
    session.destroy()
    await expect.poll(() => budget.held).toBe(0)
    await expectAlive(grpc)
  })

  it('waits for a slow one', async () => {
    await grpc.start()
    const stream = request(grpc.openSession(), PATH.big)
    stream.end(frameMessage(Buffer.from('1000000')))
    let length = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length % 7 === 0) await delay(1)
    }
    expect(length).toBe(1_000_005)
  })
})

describe('of connections', () => {
  it('forgets a stream that its client resets, in whatever state', async () => {
    await grpc.start({ connectionIdleMs: 100 })
    const body = Buffer.concat(Array.from({ length: 9_000 }, () => frameMessage(Buffer.from('big'))))
    for (const code of [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]) {
      for (const path of Object.values(PATH)) {
        const session = grpc.openSession()
        const stream = request(session, path)
        stream.write(path === PATH.each ? body : body.subarray(0, 7))
        await delay(50)
        stream.close(code)
        // It is idle again.
        expect(await once(session, 'goaway')).toContain(constants.NGHTTP2_NO_ERROR)
      }
    }
  })

  it('leaves one of use after requests on it that nobody read to their end', async () => {
    await grpc.start()
    const session = grpc.openSession()
    const long = Buffer.concat([prefixOf(2 ** 31), Buffer.alloc(300_000)])
    const words = Buffer.concat(Array.from({ length: 40_000 }, () => frameMessage(Buffer.from('x'))))
    for (let index = 0; index < 8; index++) {
      const stream = request(session, [PATH.echo, PATH.each, '/t.T/Nope'][index % 3] ?? '')
      const end = read(stream)
      stream.write(long)
      await end
      const reset = request(session, PATH.each)
      reset.write(words)
      await delay(5)
      reset.close(constants.NGHTTP2_CANCEL)
    }
    const stream = request(session, PATH.echo)
    stream.end(frameMessage(Buffer.alloc(MAX_RECEIVE)))
    expect((await read(stream)).bytes).toHaveLength(MAX_RECEIVE + 5)
    expect(grpc.server?.unfinishedBytes).toBe(0)
  })

  it('closes those that ask nothing with GOAWAY, and not those that wait for an answer', async () => {
    await grpc.start({ connectionIdleMs: 100 })
    const [idle, busy] = [grpc.openSession(), grpc.openSession()]
    const stream = request(busy, PATH.wait)
    stream.end(frameMessage(Buffer.from('x')))
    const [code] = await once(idle, 'goaway')
    expect(code).toBe(constants.NGHTTP2_NO_ERROR)
    await delay(150)
    expect(busy.closed).toBe(false)
    grpc.free()
    expect(statusOf(await read(stream))).toEqual(['0', ''])
    await once(busy, 'goaway')
  })

  it('lets running calls end when it closes, and cuts off what does not end', async () => {
    const { close } = await grpc.start()
    const session = grpc.openSession()
    const streams = [request(session, PATH.wait), request(session, PATH.each)]
    const [first, second] = streams.map(read)
    streams[0]?.end(frameMessage(Buffer.from('x')))
    streams[1]?.write(frameMessage(Buffer.from('y')))
    await expect.poll(() => grpc.waiting).toHaveLength(1)
    const goneAway = once(session, 'goaway')
    const closed = close()
    await goneAway
    grpc.free()
    expect(statusOf((await first) as Raw)).toEqual(['0', ''])
    await closed
    expect((await second)?.end['grpc-status']).toBeUndefined()
    await expect(once(connectSocket(grpc.port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    grpc.server = undefined
  })

  it('says which address cannot be bound', async () => {
    const { port } = await grpc.start()
    const again = serveGrpcHttp2({
      host: '127.0.0.1',
      port,
      methods: new Map(),
      maxReceiveBytes: 1,
      maxSendBytes: 1,
      toStatus: () => ({ code: 2, message: '' }),
    })
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  })
})

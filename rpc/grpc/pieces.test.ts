/** Clients that send frames without end in place of messages, and such that take no answer. */
import { once } from 'node:events'
import { connect, type ClientHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Floods } from '../floods.ts'
import { frameMessage } from './message.ts'
import { expectAlive, PATH, prefixOf, read, request, statusOf, type TestServer, useServer } from './testing/server.ts'

const grpc = useServer()

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const TYPE = { data: 0, headers: 1, settings: 4, ping: 6, windowUpdate: 8 } as const

const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Literals that are never indexed (RFC 7541, section 6.2.3), without Huffman's code. */
const fields = (entries: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([name, value]) => [
      Buffer.from([0x10, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  )

const headersOf = (path: string): Buffer =>
  fields([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'a'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ])

const openCall = (stream: number, path: string): Buffer => frame(TYPE.headers, 0x4, stream, headersOf(path))

/** Writes what `next` gives until the server closes the connection; resolves to the bytes that were written. */
const floodUntilClosed = async (socket: Socket, first: Buffer, next: (round: number) => Buffer): Promise<number> => {
  let isClosed = false
  socket.once('close', () => (isClosed = true))
  socket.write(Buffer.concat([PREFACE, frame(TYPE.settings, 0, 0), first]))
  for (let round = 0; !isClosed && socket.bytesWritten < 50_000_000; round++) {
    if (!socket.write(next(round))) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
    await delay(1)
  }
  return socket.bytesWritten
}

const repeated = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes))

const expectFlood = async (server: TestServer, first: Buffer, next: (round: number) => Buffer): Promise<void> => {
  const noted = vi.spyOn(Floods.prototype, 'note')
  await server.start()
  expect(await floodUntilClosed(await server.openSocket(), first, next)).toBeLessThan(50_000_000)
  expect(noted).toHaveBeenCalledWith('127.0.0.1')
  vi.restoreAllMocks()
  await expectAlive(server)
}

describe('a connection is closed, and its client noted, for', () => {
  it('frames of one byte', async () => {
    const first = Buffer.concat([openCall(1, PATH.echo), frame(TYPE.data, 0, 1, prefixOf(60_000))])
    const byte = repeated(1_000, frame(TYPE.data, 0, 1, Buffer.from('x')))
    await expectFlood(grpc, first, () => byte)
  })

  it('window updates', async () => {
    const one = Buffer.from([0, 0, 0, 1])
    await expectFlood(grpc, openCall(1, PATH.echo), () => repeated(1_000, frame(TYPE.windowUpdate, 0, 1, one)))
  })

  it('calls that ask nothing', async () => {
    await expectFlood(grpc, Buffer.alloc(0), (round) =>
      Buffer.concat(
        Array.from({ length: 50 }, (_, index) => {
          const stream = 1 + 2 * (50 * round + index)
          return Buffer.concat([openCall(stream, PATH.echo), frame(TYPE.headers, 0x5, stream, fields([['x', 'y']]))])
        }),
      ),
    )
  })
})

describe('a connection stays', () => {
  it('whose messages come in pieces of a buffer each, or byte by byte where they are short', async () => {
    await grpc.start()
    const session = grpc.openSession()
    const long = request(session, PATH.echo)
    const answer = read(long)
    const message = frameMessage(Buffer.alloc(500_000, 1))
    for (let at = 0; at < message.length; at += 200) {
      if (!long.write(message.subarray(at, at + 200))) await once(long, 'drain')
    }
    long.end()
    expect((await answer).bytes).toHaveLength(message.length)
    const short = request(session, PATH.echo)
    const shortAnswer = read(short)
    for (const byte of frameMessage(Buffer.alloc(100))) short.write(Buffer.from([byte]))
    short.end()
    expect((await shortAnswer).bytes).toHaveLength(105)
    expect(session.destroyed).toBe(false)
  })

  it('that asks one short question after the other', async () => {
    await grpc.start()
    const session = grpc.openSession()
    const stream = request(session, PATH.each)
    const answers = read(stream)
    const headers = { authorization: `Bearer ${'x'.repeat(1_000)}` }
    for (let count = 0; count < 500; count++) {
      stream.write(frameMessage(Buffer.from('a')))
      const asked = request(session, PATH.echo, headers)
      asked.end(frameMessage(Buffer.from('b')))
      expect(statusOf(await read(asked))).toEqual(['0', ''])
    }
    stream.end()
    expect((await answers).bytes).toHaveLength(500 * 6)
  })
})

describe('an answer that its client does not take', () => {
  const codeAtEnd = async (stream: ClientHttp2Stream): Promise<number> => {
    await new Promise((resolve) => stream.on('close', resolve))
    return stream.rstCode ?? 0
  }

  it('ends in time, however short it is', async () => {
    await grpc.start({ sendTimeoutMs: 200 })
    const session = connect(`http://127.0.0.1:${grpc.port}`, { settings: { initialWindowSize: 0 } })
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    const streams = Array.from({ length: 20 }, () => request(session, PATH.echo))
    for (const stream of streams) stream.end(frameMessage(Buffer.from('x')))
    expect(new Set(await Promise.all(streams.map(codeAtEnd)))).toEqual(new Set([11]))
    session.destroy()
    await expectAlive(grpc)
  })
})

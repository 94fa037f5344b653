/** Requests of gRPC, whole and broken, from clients that write HTTP/2 by hand. */
import { once } from 'node:events'
import { constants } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { frameMessage } from './message.ts'
import { expectAlive, MAX_RECEIVE, PATH, prefixOf, read, request, statusOf, useServer } from './testing/server.ts'

const grpc = useServer()

describe('of HTTP', () => {
  it('takes POST with a type of gRPC alone', async () => {
    await grpc.start()
    const body = frameMessage(Buffer.from('x'))
    expect((await grpc.send(body, { 'content-type': 'application/json' })).headers[':status']).toBe(415)
    expect((await grpc.send(body, { 'content-type': 'application/grpc-web' })).headers[':status']).toBe(415)
    expect((await grpc.send(body, { ':method': 'PUT' })).headers[':status']).toBe(405)
    expect((await grpc.send(undefined, { ':method': 'GET' })).headers[':status']).toBe(405)
    expect((await grpc.send(undefined, { ':method': 'HEAD' })).headers[':status']).toBe(405)
    const { headers, end, bytes } = await grpc.send(body, { 'content-type': 'application/grpc+proto; charset=x' })
    expect([headers[':status'], headers['content-type'], end['grpc-status']]).toEqual([200, 'application/grpc', '0'])
    expect(bytes).toEqual(body)
  })

  it('bounds headers in number and size, and the streams of a connection', async () => {
    await grpc.start()
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'y']))
    expect((await grpc.send(frameMessage(Buffer.alloc(1)), many)).code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    const session = grpc.openSession()
    const [settings] = await once(session, 'remoteSettings')
    expect(settings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024 })
    const stream = request(session, PATH.echo, { 'x-long': 'y'.repeat(20_000) })
    stream.end(frameMessage(Buffer.alloc(1)))
    expect((await read(stream)).code).not.toBe(0)
    await expectAlive(grpc)
  })
})

describe('of one request', () => {
  it('has one message, whole, with flags that it knows', async () => {
    await grpc.start()
    const message = frameMessage(Buffer.from('x'))
    const words = 'request message for server streaming method /t.T/Echo'
    const within = 'Received a request that ends within a message'
    for (const [body, code, text] of [
      [undefined, '12', `Received no ${words}`],
      [Buffer.concat([message, message]), '12', `Received a second ${words}`],
      [message.subarray(0, 3), '13', within],
      [message.subarray(0, 5), '13', within],
      [Buffer.concat([message, Buffer.alloc(1)]), '13', within],
      [prefixOf(0, 2), '13', 'Received message with unknown flags 2'],
    ] as const) {
      expect(statusOf(await grpc.send(body))).toEqual([code, text])
    }
  })

  it('may come byte by byte', async () => {
    await grpc.start()
    const stream = request(grpc.openSession(), PATH.echo)
    const body = frameMessage(Buffer.from('slowly'))
    for (const byte of body) {
      stream.write(Buffer.from([byte]))
      await delay(1)
    }
    stream.end()
    expect((await read(stream)).bytes).toEqual(body)
    expect(grpc.server?.unfinishedBytes).toBe(0)
  })

  it('is refused at its prefix when it is too long, and its client told to stop', async () => {
    await grpc.start()
    const stream = request(grpc.openSession(), PATH.echo)
    stream.write(prefixOf(2 ** 32 - 1))
    const raw = await read(stream)
    expect(statusOf(raw)).toEqual(['8', `Received message larger than max (4294967295 vs ${MAX_RECEIVE})`])
    expect(raw.code).toBe(constants.NGHTTP2_NO_ERROR)
  })

  it('is refused with a time that is none', async () => {
    await grpc.start()
    const body = frameMessage(Buffer.from('x'))
    expect(statusOf(await grpc.send(body, { 'grpc-timeout': 'soon' }))).toEqual([
      '13',
      'Invalid grpc-timeout value "soon"',
    ])
    expect(statusOf(await grpc.send(body, { 'grpc-timeout': '20m' }, PATH.wait))).toEqual(['4', 'Deadline exceeded'])
  })

  it('is decompressed within the same bound', async () => {
    await grpc.start()
    const compressed = (bytes: Uint8Array): Buffer => Buffer.concat([prefixOf(bytes.length, 1), bytes])
    const bomb = Buffer.alloc(MAX_RECEIVE + 1)
    const text = Buffer.from('text')
    const tooLong = `Received message that decompresses to a size larger than ${MAX_RECEIVE}`
    for (const [encoding, body, code, details] of [
      ['gzip', gzipSync(text), '0', ''],
      ['deflate', deflateSync(text), '0', ''],
      ['gzip', gzipSync(bomb.subarray(1)), '0', ''],
      ['gzip', gzipSync(bomb), '8', tooLong],
      ['deflate', deflateSync(bomb), '8', tooLong],
      ['gzip', deflateSync(text), '13', 'Failed to decompress message'],
      ['gzip', gzipSync(text).subarray(0, 12), '13', 'Failed to decompress message'],
      ['identity', text, '13', 'Received compressed message without an encoding'],
    ] as const) {
      expect(statusOf(await grpc.send(compressed(body), { 'grpc-encoding': encoding }))).toEqual([code, details])
    }
    const refused = await grpc.send(compressed(text), { 'grpc-encoding': 'zstd' })
    expect(statusOf(refused)).toEqual([
      '12',
      'Received message compressed with unsupported encoding "zstd", accepted: identity,deflate,gzip',
    ])
    expect(refused.end['grpc-accept-encoding']).toBe('identity,deflate,gzip')
    // An encoding is of compressed messages only.
    expect(statusOf(await grpc.send(frameMessage(text), { 'grpc-encoding': 'zstd' }))).toEqual(['0', ''])
  })

  it('ends when it does not come as a whole in time', async () => {
    await grpc.start({ receiveTimeoutMs: 100 })
    const session = grpc.openSession()
    const bodies = [Buffer.alloc(0), prefixOf(100_000), Buffer.concat([prefixOf(100_000), Buffer.alloc(50_000)])]
    const halves = bodies.map(async (body) => {
      const stream = request(session, PATH.echo)
      stream.write(body)
      return await read(stream)
    })
    await expect.poll(() => grpc.server?.unfinishedBytes).toBeGreaterThan(0)
    for (const raw of await Promise.all(halves)) {
      expect(statusOf(raw)).toEqual(['4', 'the request did not come as a whole in time'])
    }
    expect(grpc.server?.unfinishedBytes).toBe(0)
    const stream = request(session, PATH.each)
    stream.write(frameMessage(Buffer.from('whole')))
    await delay(150)
    stream.write(Buffer.from([0]))
    expect(statusOf(await read(stream))).toEqual(['4', 'the request did not come as a whole in time'])
  })

  it('holds no more with all others than there is room for', async () => {
    await grpc.start({ maxUnfinishedBytes: 2 * MAX_RECEIVE })
    const session = grpc.openSession()
    const half = Buffer.concat([prefixOf(MAX_RECEIVE), Buffer.alloc(MAX_RECEIVE - 1)])
    const streams = Array.from({ length: 4 }, () => request(session, PATH.echo))
    const ends = streams.map(read)
    for (const stream of streams) stream.write(half)
    const refused = await Promise.race(ends)
    expect(statusOf(refused)).toEqual(['8', 'too many unfinished requests are held, try again'])
    expect(grpc.server?.unfinishedBytes).toBeGreaterThan(MAX_RECEIVE / 2)
    expect(grpc.server?.unfinishedBytes).toBeLessThanOrEqual(2 * MAX_RECEIVE)
    // A small one passes, also in pieces.
    const small = request(grpc.openSession(), PATH.echo)
    const body = frameMessage(Buffer.alloc(10_000))
    small.write(body.subarray(0, 100))
    await delay(20)
    small.end(body.subarray(100))
    expect(statusOf(await read(small))).toEqual(['0', ''])
    session.destroy()
    await expect.poll(() => grpc.server?.unfinishedBytes).toBe(0)
  })
})

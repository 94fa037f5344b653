/** The server of gRPC against clients that mean no good: resets, and random bytes on every level. */
import { constants } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { frameMessage } from './message.ts'
import { expectAlive, PATH, prefixOf, read, request, useServer } from './testing/server.ts'

const grpc = useServer()

/** Mulberry32: a failure names its seed, and the seed repeats it. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const randomBytes = (random: (below: number) => number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random(256)))

describe('of noise', () => {
  it('survives resets at every moment', async () => {
    await grpc.start()
    const random = createRandom(1)
    const session = grpc.openSession()
    const paths = Object.values(PATH)
    const body = frameMessage(Buffer.from('100000'))
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        await delay(random(200))
        const stream = request(session, paths[index % paths.length] ?? '')
        const closed = new Promise((resolve) => stream.on('close', resolve))
        stream.resume()
        stream.write(body.subarray(0, random(body.length + 1)))
        if (random(2) === 0) stream.end()
        await delay(random(5))
        stream.close(random(14))
        await closed
      }),
    )
    grpc.free()
    await expectAlive(grpc)
    expect(grpc.server?.unfinishedBytes).toBe(0)
  })

  it('ends a connection that opens streams and resets them as fast as it can', async () => {
    await grpc.start()
    const session = grpc.openSession()
    let opened = 0
    while (!session.destroyed && opened < 20_000) {
      for (let index = 0; index < 50; index++, opened++) {
        if (session.destroyed || session.closed) break
        request(session, PATH.wait).close(constants.NGHTTP2_CANCEL)
      }
      if (session.closed) break
      await delay(1)
    }
    expect(opened).toBeLessThan(20_000)
    await expectAlive(grpc)
  })

  it.each([11, 12, 13])('survives random messages (seed %i)', async (seed) => {
    await grpc.start({ receiveTimeoutMs: 200 })
    const random = createRandom(seed)
    const session = grpc.openSession()
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        const stream = request(session, random(2) === 0 ? PATH.echo : PATH.each, { 'grpc-encoding': 'gzip' })
        const prefix = prefixOf(random(40), random(3))
        const body = randomBytes(random, random(60))
        stream.end(random(2) === 0 ? body : Buffer.concat([prefix, body]))
        const { end, code } = await read(stream)
        expect(end['grpc-status'] !== undefined || code !== 0).toBe(true)
      }),
    )
    await expectAlive(grpc)
  })

  it.each([21, 22, 23])('survives random bytes in place of HTTP/2 (seed %i)', async (seed) => {
    await grpc.start()
    const random = createRandom(seed)
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
    for (let index = 0; index < 40; index++) {
      const socket = await grpc.openSocket()
      if (random(4) > 0) socket.write(preface)
      // Frames with a header that is right, of every type and flag, on the first streams.
      for (let frame = 0; frame < 5; frame++) {
        const payload = randomBytes(random, random(100))
        const header = Buffer.from([0, 0, payload.length, random(11), random(256), 0, 0, 0, random(6)])
        socket.write(random(5) === 0 ? payload : Buffer.concat([header, payload]))
      }
      await delay(random(3))
      if (random(2) === 0) socket.resetAndDestroy()
      else socket.end()
    }
    await expectAlive(grpc)
  })
})

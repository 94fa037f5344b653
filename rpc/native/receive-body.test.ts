import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LARGE_BODY_BYTES, LargeBodies } from '../large-bodies.ts'
import { Floods } from '../floods.ts'
import { MemoryBudget } from '../memory-budget.ts'
import { BodyPieces } from '../small-pieces.ts'
import { receiveBody } from './receive-body.ts'

const open = () => {
  const large = new LargeBodies()
  const floods = new Floods()
  const pieces = new BodyPieces(floods)
  const budget = new MemoryBudget(64 * LARGE_BODY_BYTES)
  const receive = (client: string, announced: number) => {
    const request = Object.assign(new PassThrough({ highWaterMark: 4 * LARGE_BODY_BYTES }), {
      headers: { 'content-length': String(announced) },
    })
    const share = budget.open(client, () => undefined)
    const body = receiveBody(request as unknown as IncomingMessage, {
      limit: 8 * LARGE_BODY_BYTES,
      share,
      large,
      client,
      pieces,
    })
    return { request, body }
  }
  return { large, floods, pieces, receive }
}

test('long bodies are received four at once, the others wait, and all arrive', async () => {
  const { large, receive } = open()
  const bodies = Array.from({ length: 6 }, (_, index) => receive(`client ${index}`, LARGE_BODY_BYTES))
  expect([large.reading, large.waiting]).toEqual([4, 2])
  for (const { request } of bodies) request.end(Buffer.alloc(LARGE_BODY_BYTES, 7))
  const received = await Promise.all(bodies.map(({ body }) => body))
  expect(received.map(({ length }) => length)).toEqual(Array.from({ length: 6 }, () => LARGE_BODY_BYTES))
  expect([large.reading, large.waiting]).toEqual([0, 0])
})

test('a body of no announced length is long once it is, and leaves its place when its client goes', async () => {
  const { large, receive } = open()
  const { request, body } = receive('one', 0)
  expect(large.reading).toBe(0)
  request.write(Buffer.alloc(LARGE_BODY_BYTES))
  await expect.poll(() => large.reading).toBe(1)
  request.destroy(new Error('gone'))
  await expect(body).rejects.toThrow('the request ended early')
  expect(large.reading).toBe(0)
})

test('a short body takes no place', async () => {
  const { large, receive } = open()
  const { request, body } = receive('one', 5)
  request.end('12345')
  expect((await body).toString()).toBe('12345')
  expect(large.reading).toBe(0)
})

test('a body of tiny pieces without end is refused, and its client is noted', async () => {
  const { receive, floods, pieces } = open()
  const { request, body } = receive('one', 0)
  Object.assign(request, { socket: { remoteAddress: '127.0.0.1' }, headers: { 'transfer-encoding': 'chunked' } })
  pieces.watch(request as unknown as IncomingMessage, new EventEmitter() as ServerResponse)
  for (let count = 0; count < 1_000; count++) request.write(' ')
  await expect(body).rejects.toThrow('the body comes in too many small pieces')
  expect(floods.waitMs('127.0.0.1')).toBeGreaterThan(0)
})

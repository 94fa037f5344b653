/** The server of gRPC against grpc-js's client. */
import { once } from 'node:events'
import type { ClientUnaryCall, ServiceError } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { callWith, failureOf, MAX_RECEIVE, MAX_SEND, PATH, same, TEXT, useServer } from './testing/server.ts'

const grpc = useServer()

describe("for grpc-js's client", () => {
  it('answers messages of every size, with headers in front', async () => {
    await grpc.start()
    const client = grpc.createClient()
    for (const length of [0, 1, 420, 16_379, 16_380, 70_000, MAX_RECEIVE]) {
      const sent = Buffer.alloc(length, length)
      const { bytes, metadata } = await callWith(client, PATH.echo, sent)
      expect(bytes.equals(sent), `${length} bytes`).toBe(true)
      expect(metadata.get('x-length')).toEqual([String(length)])
    }
    expect(grpc.server?.unfinishedBytes).toBe(0)
  })

  it('tells failures in the words of the method, whatever the characters', async () => {
    await grpc.start()
    expect(await failureOf(callWith(grpc.createClient(), PATH.fail, Buffer.alloc(0)))).toEqual({
      code: 5,
      details: TEXT,
    })
  })

  it('does not know other paths', async () => {
    await grpc.start()
    expect(await failureOf(callWith(grpc.createClient(), '/t.T/Nope', Buffer.alloc(0)))).toEqual({
      code: 12,
      details: 'The server does not implement the method /t.T/Nope',
    })
  })

  it('bounds requests and answers', async () => {
    await grpc.start()
    const client = grpc.createClient()
    expect(await failureOf(callWith(client, PATH.echo, Buffer.alloc(MAX_RECEIVE + 1)))).toEqual({
      code: 8,
      details: `Received message larger than max (${MAX_RECEIVE + 1} vs ${MAX_RECEIVE})`,
    })
    expect((await callWith(client, PATH.big, Buffer.from(String(MAX_SEND)))).bytes).toHaveLength(MAX_SEND)
    expect(await failureOf(callWith(client, PATH.big, Buffer.from(String(MAX_SEND + 1))))).toEqual({
      code: 8,
      details: `Sent message larger than max (${MAX_SEND + 6} vs. ${MAX_SEND})`,
    })
  })

  it.each([1, 2])('takes compressed messages (algorithm %i of grpc-js)', async (algorithm) => {
    await grpc.start()
    const client = grpc.createClient({ 'grpc.default_compression_algorithm': algorithm })
    const sent = Buffer.from('compressed '.repeat(1_000))
    const replies = await Promise.all(Array.from({ length: 20 }, () => callWith(client, PATH.echo, sent)))
    for (const { bytes } of replies) expect(bytes.equals(sent)).toBe(true)
  })

  it('answers many calls over one connection', async () => {
    await grpc.start()
    const client = grpc.createClient()
    const calls = Array.from({ length: 2_000 }, async (_, index) => {
      const sent = Buffer.from(`call ${index}`)
      return (await callWith(client, PATH.echo, sent)).bytes.equals(sent)
    })
    expect((await Promise.all(calls)).every(Boolean)).toBe(true)
  })

  it('ends a call whose time has passed, and a method learns that nobody waits', async () => {
    await grpc.start()
    const client = grpc.createClient()
    const late = callWith(client, PATH.wait, Buffer.from('x'), { deadlineMs: 100 })
    expect((await failureOf(late)).code).toBe(4)
    await expect.poll(() => grpc.waiting[0]?.isOver).toBe(true)
    grpc.free()
    await callWith(client, PATH.echo, Buffer.from('x'))
  })

  it('writes nothing to a client that has cancelled', async () => {
    await grpc.start()
    const client = grpc.createClient()
    let made: ClientUnaryCall | undefined
    const failure = failureOf(callWith(client, PATH.wait, Buffer.from('x'), { onCall: (call) => (made = call) }))
    await expect.poll(() => grpc.waiting).toHaveLength(1)
    made?.cancel()
    expect((await failure).code).toBe(1)
    await expect.poll(() => grpc.waiting[0]?.isOver).toBe(true)
    grpc.free()
    await callWith(client, PATH.echo, Buffer.from('x'))
  })

  it('answers a stream message by message, and ends it with a failure', async () => {
    await grpc.start()
    const stream = grpc.createClient().makeBidiStreamRequest(PATH.each, same, same)
    const received: string[] = []
    stream.on('data', (bytes: Buffer) => received.push(bytes.toString()))
    for (const text of ['one', 'two', '', 'three', 'no', 'four']) stream.write(Buffer.from(text))
    const [error] = (await once(stream, 'error')) as [ServiceError]
    expect({ code: error.code, details: error.details }).toEqual({ code: 3, details: TEXT })
    expect(received).toEqual(['ONE', 'TWO', '', 'THREE'])
  })

  it.each([0, 2])('ends a stream when the client does (algorithm %i)', async (algorithm) => {
    await grpc.start()
    const client = grpc.createClient({ 'grpc.default_compression_algorithm': algorithm })
    const stream = client.makeBidiStreamRequest(PATH.each, same, same)
    const received: Buffer[] = []
    stream.on('data', (bytes: Buffer) => received.push(bytes))
    const long = 'a'.repeat(100_000)
    stream.write(Buffer.from(long))
    stream.end(Buffer.from('b'))
    const [status] = await once(stream, 'status')
    expect(status).toMatchObject({ code: 0 })
    expect(received.map(String)).toEqual([long.toUpperCase(), 'B'])
  })
})

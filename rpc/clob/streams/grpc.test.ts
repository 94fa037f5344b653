/** The same streams over gRPC. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, type ClientReadableStream, credentials, type ServiceError } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import type { ClobUpdates } from '../../../app/ports.ts'
import { clobStream } from '../../../proto/index.ts'
import { level, useWorld } from './testing/world.ts'

const world = useWorld()

describe('nat.clob.v1.Stream', () => {
  const { WatchBookRequestSchema, BookUpdateSchema } = clobStream

  const watch = (market: number) => {
    const client = new Client(world.grpcAddress, credentials.createInsecure())
    const request = toBinary(WatchBookRequestSchema, create(WatchBookRequestSchema, { market }))
    const call: ClientReadableStream<clobStream.BookUpdate> = client.makeServerStreamRequest(
      '/nat.clob.v1.Stream/WatchBook',
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => fromBinary(BookUpdateSchema, bytes),
      request,
    )
    const ended = new Promise<ServiceError>((resolve) => call.once('error', (error) => resolve(error as ServiceError)))
    return { client, call, ended, updates: call[Symbol.asyncIterator]() as AsyncIterator<clobStream.BookUpdate> }
  }

  test('streams the same messages, and ends with a status where a block cannot be told', async () => {
    const { client, ended, updates } = watch(1)
    const next = async () => (await updates.next()).value as clobStream.BookUpdate
    expect(await next()).toMatchObject({ height: 7n, sequence: 3n, isSnapshot: true, bids: [{ lots: '6' }] })
    for (let height = 8; height <= 11; height++) {
      world.commit()
      const update = await next()
      expect(update).toMatchObject({
        height: BigInt(height),
        sequence: BigInt(Math.floor(height / 2)),
        isSnapshot: false,
      })
    }
    world.newest = 12
    world.oldest = 13
    world.application.commit()
    await expect(updates.next()).rejects.toThrow('block 12: not known here any more')
    expect((await ended).code).toBe(14)
    client.close()
  })

  test('ends the call of a client that reads too slowly, and leaves nothing out before', async () => {
    const bids = Array.from({ length: 30_000 }, (_, at) => level(1 + at, '1000000'))
    const { clobUpdates } = world.application.answers
    world.application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await clobUpdates?.(parameters)) ?? '') as ClobUpdates
      return JSON.stringify({ ...updates, markets: updates.markets.map((each) => ({ ...each, bids })) })
    }
    const { client, call, ended, updates } = watch(1)
    expect((await updates.next()).value).toMatchObject({ height: 7n })
    call.pause()
    const last = 7 + 60
    while (world.newest < last) {
      world.commit()
      await new Promise((resolve) => setImmediate(resolve))
    }
    const heights: bigint[] = []
    call.on('data', ({ height }: clobStream.BookUpdate) => heights.push(height))
    call.resume()
    // Where its connection is ended before it has taken the reason, the code of HTTP/2 says the same.
    expect(await ended).toMatchObject({
      code: 8,
      details: expect.stringMatching(/^too slow: messages were left unread$|^Bandwidth exhausted/) as string,
    })
    expect(heights.length).toBeLessThan(60)
    expect(heights).toEqual(heights.map((_, at) => BigInt(8 + at)))
    client.close()
  })

  test('refuses a market that is not there', async () => {
    const { client, call, ended } = watch(2)
    call.resume()
    expect(await ended).toMatchObject({ code: 5, details: 'there is no market 2' })
    client.close()
  })
})

import { once } from 'node:events'
import { create } from '@bufbuild/protobuf'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConsensusApplication } from '../app/ports.ts'
import { concatBytes } from '../core/bytes.ts'
import { InvariantError, type CodedError } from '../core/errors.ts'
import { abci } from '../proto/index.ts'
import { ABCI_CODES } from './errors.ts'
import { encodeFrame, encodeVarint } from './frames.ts'
import { createHandlers } from './handlers.ts'
import type { AbciServer } from './server.ts'
import { serveAbciSocket, type AbciSocketOptions } from './socket-server.ts'
import {
  checkTxRequest,
  commitRequest,
  connectClient,
  echoRequest,
  encodeRequest,
  flushRequest,
  infoRequest,
  type AbciClient,
} from './testing/client.ts'
import { createMemoryApplication } from './testing/memory-application.ts'
import { createRandom } from './testing/random.ts'

/** A promise that the test settles. */
const createGate = <Value>(): { readonly promise: Promise<Value>; open(value: Value): void } => {
  const { promise, resolve } = Promise.withResolvers<Value>()
  return { promise, open: resolve }
}

const queryRequest = (path: string): Uint8Array =>
  encodeRequest({ case: 'query', value: create(abci.RequestQuerySchema, { path }) })

const casesOf = (responses: readonly abci.Response[]): (string | undefined)[] =>
  responses.map((response) => response.value.case)

describe('the ABCI socket server', () => {
  let servers: AbciServer[] = []
  let clients: AbciClient[] = []
  let folder: string
  let lines: string[] = []
  let fatal: unknown[] = []
  let refused: number[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'abci-socket-'))
    lines = []
    fatal = []
    refused = []
  })

  afterEach(async () => {
    for (const client of clients) client.socket.destroy()
    for (const server of servers) await server.close()
    clients = []
    servers = []
    rmSync(folder, { recursive: true, force: true })
  })

  const serve = async (
    overrides: Partial<ConsensusApplication> = {},
    options: Partial<AbciSocketOptions> = {},
  ): Promise<string> => {
    const keep = (line: string): void => void lines.push(line)
    const server = await serveAbciSocket({
      address: `unix://${join(folder, 'app.sock')}`,
      handlers: createHandlers(createMemoryApplication(overrides)),
      log: { info: keep, warn: keep, error: keep },
      onFatal: (error) => void fatal.push(error),
      onProtocolError: (error: CodedError) => void refused.push(error.code),
      ...options,
    })
    servers.push(server)
    return server.address
  }

  const connectTo = async (address: string): Promise<AbciClient> => {
    const client = await connectClient(address)
    clients.push(client)
    return client
  }

  it.each(['unix', 'tcp'])('answers over %s in the order of the requests, sync and async mixed', async (kind) => {
    const address = await serve({}, kind === 'tcp' ? { address: 'tcp://127.0.0.1:0' } : {})
    const client = await connectTo(address)
    client.write(
      concatBytes(
        echoRequest('one'),
        queryRequest('/two'),
        checkTxRequest(Uint8Array.of(3)),
        flushRequest,
        queryRequest('/four'),
        echoRequest('five'),
        flushRequest,
      ),
    )
    const answers = await client.read(7)
    expect(casesOf(answers)).toEqual(['echo', 'query', 'checkTx', 'flush', 'query', 'echo', 'flush'])
    expect(answers[4]?.value).toMatchObject({ value: { log: '/four' } })
  })

  it('begins no request of a connection before the one before it is answered', async () => {
    const first = createGate<void>()
    const seen: string[] = []
    const address = await serve({
      async abciQuery({ path, data, height }) {
        seen.push(path)
        if (path === '/1') await first.promise
        return { code: 0, codespace: '', log: path, key: data, value: data, height }
      },
    })
    const [slow, other] = [await connectTo(address), await connectTo(address)]
    slow.write(concatBytes(queryRequest('/1'), queryRequest('/2'), flushRequest))
    other.write(concatBytes(queryRequest('/other'), flushRequest))
    // Calls of other connections go on meanwhile.
    expect(casesOf(await other.read(2))).toEqual(['query', 'flush'])
    expect(seen).toEqual(['/1', '/other'])
    first.open()
    expect(casesOf(await slow.read(3))).toEqual(['query', 'query', 'flush'])
    expect(seen).toEqual(['/1', '/other', '/2'])
  })

  it('answers 20,000 pipelined requests in order', async () => {
    const client = await connectTo(await serve())
    const count = 20_000
    const refusedByCheck = (index: number): boolean => index % 7 === 0
    for (let index = 0; index < count; index++) {
      client.write(checkTxRequest(Uint8Array.of(refusedByCheck(index) ? 0xff : 0, index)))
    }
    const codes = (await client.read(count)).map(({ value }) => (value.case === 'checkTx' ? value.value.code : -1))
    expect(codes).toEqual(Array.from({ length: count }, (_, index) => (refusedByCheck(index) ? 1 : 0)))
  })

  it('lets others have their turn between requests that take long, however many have come', async () => {
    let checked = 0
    const client = await connectTo(
      await serve({
        checkTx() {
          for (const endMs = performance.now() + 2; performance.now() < endMs; );
          checked++
          return { code: 0, codespace: '', log: '', gasWanted: 0n }
        },
      }),
    )
    client.write(concatBytes(...Array.from({ length: 100 }, (_, index) => checkTxRequest(Uint8Array.of(index)))))
    const inTurns: number[] = []
    let before = 0
    while (checked < 100) {
      await new Promise(setImmediate)
      inTurns.push(checked - before)
      before = checked
    }
    // The second one begins before three milliseconds have passed, and a busy machine may take longer for one.
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(3)
    expect(casesOf(await client.read(100))).toHaveLength(100)
  })

  it('answers requests that arrive a byte at a time', async () => {
    const client = await connectTo(await serve())
    for (const byte of concatBytes(echoRequest('slow'), flushRequest)) client.write(Uint8Array.of(byte))
    expect(casesOf(await client.read(2))).toEqual(['echo', 'flush'])
  })

  it('closes a connection that sends an oversized frame, after the answers before it, and serves on', async () => {
    const address = await serve({}, { maxFrameBytes: 1_000 })
    const client = await connectTo(address)
    client.write(concatBytes(echoRequest('before'), encodeVarint(1_001)))
    expect(casesOf(await client.read(2))).toEqual(['echo'])
    await client.closed
    expect(refused).toEqual([ABCI_CODES.frameTooLarge])
    expect(lines.some((line) => line.includes('a frame of 1001 bytes passes the limit of 1000'))).toBe(true)
    const next = await connectTo(address)
    next.write(echoRequest('after'))
    expect(casesOf(await next.read(1))).toEqual(['echo'])
    expect(fatal).toEqual([])
  })

  it.each([
    ['a request that does not decode', ABCI_CODES.undecodable, encodeFrame(Uint8Array.of(0x0a, 0x7f))],
    ['a request without a method', ABCI_CODES.unknownMethod, encodeFrame(new Uint8Array(0))],
    ['a response instead of a request', ABCI_CODES.unknownMethod, encodeFrame(Uint8Array.of(0xba, 0x01, 0x00))],
    [
      'a block without a time',
      ABCI_CODES.missingField,
      encodeRequest({ case: 'finalizeBlock', value: create(abci.RequestFinalizeBlockSchema, { height: 1n }) }),
    ],
  ])('closes a connection that sends %s', async (_, code, bytes) => {
    const client = await connectTo(await serve())
    client.write(bytes)
    await client.closed
    expect(refused).toEqual([code])
    expect(fatal).toEqual([])
  })

  it('survives 300 connections of garbage', async () => {
    const address = await serve({}, { maxFrameBytes: 10_000 })
    const random = createRandom(3)
    for (let run = 0; run < 300; run++) {
      const client = await connectTo(address)
      client.socket.end(
        concatBytes(...Array.from({ length: 1 + random.next(3) }, () => random.bytes(random.next(300)))),
      )
      client.socket.resume()
      await client.closed
    }
    const client = await connectTo(address)
    client.write(echoRequest('alive'))
    expect(casesOf(await client.read(1))).toEqual(['echo'])
    expect(refused.length).toBeGreaterThan(30)
    expect(fatal).toEqual([])
  })

  it('answers a broken application with an exception, tells of it once, and calls it no more', async () => {
    const failure = new InvariantError('the state is lost')
    let calls = 0
    const address = await serve({
      commit() {
        calls++
        return Promise.reject(failure)
      },
    })
    const [client, other] = [await connectTo(address), await connectTo(address)]
    client.write(concatBytes(echoRequest('before'), commitRequest, commitRequest))
    const answers = await client.read(2)
    expect(casesOf(answers)).toEqual(['echo', 'exception'])
    expect(answers[1]?.value).toMatchObject({ value: { error: 'the state is lost' } })
    other.write(concatBytes(commitRequest, flushRequest))
    await servers[0]?.close()
    expect(casesOf(await other.read(2))).toEqual([])
    expect([fatal, calls]).toEqual([[failure], 1])
    expect(lines.some((line) => line.includes('the state is lost'))).toBe(true)
  })

  it('gives consensus to a newer connection once the older one and its call have ended', async () => {
    const first = createGate<number>()
    const order: string[] = []
    let commits = 0
    const address = await serve({
      info: () => {
        order.push('info')
        return { data: '', version: '', appVersion: 0, lastBlockHeight: commits, lastBlockAppHash: new Uint8Array(0) }
      },
      async commit() {
        order.push(`commit ${++commits}`)
        if (commits === 1) await first.promise
        order.push(`done ${commits}`)
        return 0
      },
    })
    const old = await connectTo(address)
    old.write(commitRequest)
    old.write(echoRequest('waits behind the commit'))
    const [query, consensus] = [await connectTo(address), await connectTo(address)]
    query.write(echoRequest('the server has read the commit before'))
    await query.read(1)
    query.write(infoRequest)
    consensus.write(commitRequest)
    // The old connection ends, and its call still runs: neither the handshake nor the next call overlaps it.
    old.socket.destroy()
    await once(old.socket, 'close')
    expect(order).toEqual(['commit 1'])
    first.open(0)
    expect(casesOf(await consensus.read(1))).toEqual(['commit'])
    expect(casesOf(await query.read(1))).toEqual(['info'])
    expect(order.filter((entry) => entry !== 'info')).toEqual(['commit 1', 'done 1', 'commit 2', 'done 2'])
    expect(order.indexOf('info')).toBeGreaterThan(order.indexOf('done 1'))
    expect(refused).toEqual([])
  })

  it('waits for a running call when it closes', async () => {
    const running = createGate<number>()
    const begun = createGate<void>()
    let ended = false
    const address = await serve({
      async commit() {
        begun.open()
        await running.promise
        ended = true
        return 0
      },
    })
    const client = await connectTo(address)
    client.write(commitRequest)
    await begun.promise
    const closing = servers[0]?.close()
    await client.closed
    expect(ended).toBe(false)
    running.open(0)
    await closing
    expect(ended).toBe(true)
  })

  it('closes a connection whose answers nobody reads, instead of keeping them all', async () => {
    const value = new Uint8Array(1_000_000)
    const address = await serve(
      { abciQuery: async ({ height }) => ({ code: 0, codespace: '', log: '', key: value, value, height }) },
      { maxQueuedBytes: 5_000_000 },
    )
    const client = await connectTo(address)
    client.socket.pause()
    for (let index = 0; index < 200; index++) client.write(queryRequest('/big'))
    await new Promise<void>((resolve) => {
      const check = (): void => (refused.length > 0 ? resolve() : void setImmediate(check))
      check()
    })
    expect(refused).toEqual([ABCI_CODES.outputBackedUp])
  })

  it('keeps reading while its output is backed up', async () => {
    const value = new Uint8Array(100_000)
    const count = 500
    const address = await serve({
      abciQuery: async ({ height }) => ({ code: 0, codespace: '', log: '', key: value, value, height }),
    })
    const client = await connectTo(address)
    client.socket.pause()
    // Far more than the kernel's buffers hold in either direction.
    const request = encodeRequest({ case: 'query', value: create(abci.RequestQuerySchema, { data: value }) })
    for (let index = 1; index < count; index++) client.socket.write(request)
    await new Promise<void>((resolve) => client.socket.write(request, () => resolve()))
    client.socket.resume()
    expect(await client.read(count)).toHaveLength(count)
  })

  it('takes over the socket file of a killed process, but not of a living one', async () => {
    const path = join(folder, 'stale.sock')
    const dead = createServer().listen(path)
    await new Promise((resolve) => dead.once('listening', resolve))
    await expect(serve({}, { address: `unix://${path}` })).rejects.toMatchObject({ code: ABCI_CODES.addressInUse })
    await new Promise((resolve) => dead.close(resolve))
    const address = await serve({}, { address: `unix://${path}` })
    expect(existsSync(path)).toBe(true)
    const client = await connectTo(address)
    client.write(echoRequest('x'))
    expect(await client.read(1)).toHaveLength(1)
  })

  it('listens anew where the file of its socket was removed, and keeps its connections', async () => {
    const path = join(folder, 'removed.sock')
    const address = await serve({}, { address: `unix://${path}` })
    const client = await connectTo(address)
    rmSync(path)
    servers.at(-1)?.listenAgain()
    const other = await connectTo(address)
    for (const each of [client, other]) {
      each.write(echoRequest('x'))
      expect(await each.read(1)).toHaveLength(1)
    }
  })

  it('does not remove a file that is no socket', async () => {
    const path = join(folder, 'precious')
    writeFileSync(path, 'kept')
    await expect(serve({}, { address: `unix://${path}` })).rejects.toMatchObject({ code: ABCI_CODES.addressInUse })
    expect(existsSync(path)).toBe(true)
  })

  it.each(['127.0.0.1:26658', 'tcp://127.0.0.1', 'tcp://127.0.0.1:99999', 'unix://', 'http://localhost:1'])(
    'refuses the address %s',
    async (address) => {
      await expect(serve({}, { address })).rejects.toMatchObject({ code: ABCI_CODES.invalidAddress })
    },
  )
})

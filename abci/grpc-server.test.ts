import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { status } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isOutOfOrder, type ConsensusApplication } from '../app/ports.ts'
import { CodedError, InvariantError } from '../core/errors.ts'
import { encodeEvents } from '../proto/encode-exec-tx-result.ts'
import { abci } from '../proto/index.ts'
import type { RecordedCall } from './call-log.ts'
import { ABCI_CODES } from './errors.ts'
import { serveAbciGrpc } from './grpc-server.ts'
import { createHandlers } from './handlers.ts'
import type { AbciServer, AbciServerOptions } from './server.ts'
import { connectGrpc, type AbciGrpcClient } from './testing/grpc-client.ts'
import { createMemoryApplication } from './testing/memory-application.ts'
import { createRandom } from './testing/random.ts'

const MEBIBYTE = 1024 * 1024
const address = new Uint8Array(20).fill(0xa1)
const hash = new Uint8Array(32).fill(0xb2)
const time = { seconds: 1_700_000_000n, nanos: 5 }

const prepareRequest = create(abci.RequestPrepareProposalSchema, {
  maxTxBytes: 8_000_000n,
  localLastCommit: {},
  height: 1n,
  time,
  nextValidatorsHash: hash,
  proposerAddress: address,
})

const blockRequest = (txs: Uint8Array[]): abci.RequestFinalizeBlock =>
  create(abci.RequestFinalizeBlockSchema, {
    txs,
    decidedLastCommit: {},
    hash,
    height: 1n,
    time,
    nextValidatorsHash: hash,
    proposerAddress: address,
  })

const processRequest = (txs: Uint8Array[]): abci.RequestProcessProposal => {
  const { $typeName: _, decidedLastCommit: __, ...rest } = blockRequest(txs)
  return create(abci.RequestProcessProposalSchema, { ...rest, proposedLastCommit: {} })
}

describe('the ABCI gRPC server', () => {
  let servers: AbciServer[] = []
  let clients: AbciGrpcClient[] = []
  let folder: string
  let lines: string[] = []
  let fatal: unknown[] = []
  let refused: number[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'abci-grpc-'))
    lines = []
    fatal = []
    refused = []
  })

  afterEach(async () => {
    for (const client of clients) client.close()
    for (const server of servers) await server.close()
    clients = []
    servers = []
    rmSync(folder, { recursive: true, force: true })
  })

  const serve = async (
    overrides: Partial<ConsensusApplication> = {},
    options: Partial<AbciServerOptions> = {},
  ): Promise<string> => {
    const keep = (line: string): void => void lines.push(line)
    const server = await serveAbciGrpc({
      address: '127.0.0.1:0',
      handlers: createHandlers(createMemoryApplication(overrides)),
      log: { info: keep, warn: keep, error: keep },
      onFatal: (error) => void fatal.push(error),
      onProtocolError: (error) => void refused.push(error.code),
      ...options,
    })
    servers.push(server)
    return server.address
  }

  const connectTo = (to: string): AbciGrpcClient => {
    const client = connectGrpc(to)
    clients.push(client)
    return client
  }

  it.each([
    ['without a scheme', () => '127.0.0.1:0', /^127\.0\.0\.1:\d+$/],
    ['with tcp://', () => 'tcp://127.0.0.1:0', /^127\.0\.0\.1:\d+$/],
    ['of a unix socket', () => `unix://${join(folder, 'app.sock')}`, /^unix:\/\/\/.*app\.sock$/],
  ])('listens on an address %s and names it as CometBFT wants it', async (_, at, named) => {
    const client = connectTo(await serve({}, { address: at() }))
    expect(servers[0]?.address).toMatch(named)
    expect((await client.call('echo', { message: 'hello' })).message).toBe('hello')
    expect(await client.call('info')).toMatchObject({ data: 'memory', lastBlockHeight: 0n })
  })

  it.each(['127.0.0.1', '127.0.0.1:99999', 'unix://', 'http://localhost:1'])('refuses the address %s', async (at) => {
    await expect(serve({}, { address: at })).rejects.toMatchObject({ code: ABCI_CODES.invalidAddress })
  })

  it('takes over the socket file of a killed process, but not of a living one', async () => {
    const path = join(folder, 'stale.sock')
    const living = createServer().listen(path)
    await once(living, 'listening')
    await expect(serve({}, { address: `unix://${path}` })).rejects.toMatchObject({ code: ABCI_CODES.addressInUse })
    living.close()
    await once(living, 'close')
    expect((await connectTo(await serve({}, { address: `unix://${path}` })).call('echo')).message).toBe('')
  })

  it('runs consensus calls one after another, and others meanwhile', async () => {
    const { promise: first, resolve: open } = Promise.withResolvers<void>()
    const order: string[] = []
    const client = connectTo(
      await serve({
        async processProposal({ transactions }) {
          const name = String(transactions[0]?.[0])
          order.push(`begin ${name}`)
          if (name === '1') await first
          order.push(`end ${name}`)
          return true
        },
      }),
    )
    const calls = [1, 2, 3].map((byte) => client.call('processProposal', processRequest([Uint8Array.of(byte)])))
    await expect.poll(() => order).toEqual(['begin 1'])
    expect((await client.call('checkTx', { tx: Uint8Array.of(1) })).code).toBe(0)
    expect(order).toEqual(['begin 1'])
    open()
    await Promise.all(calls)
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
  })

  it.each(['unix', 'tcp'])(
    'gives consensus over %s to a newer session once the older one and its call have ended',
    async (kind) => {
      const { promise: first, resolve: open } = Promise.withResolvers<number>()
      const order: string[] = []
      const at = await serve(
        {
          async commit() {
            const number = order.filter((entry) => entry.startsWith('commit')).length + 1
            order.push(`commit ${number}`)
            if (number === 1) await first
            order.push(`done ${number}`)
            return 0
          },
          info: () => {
            order.push('info')
            return { data: '', version: '', appVersion: 0, lastBlockHeight: 0, lastBlockAppHash: new Uint8Array(0) }
          },
        },
        kind === 'unix' ? { address: `unix://${join(folder, 'app.sock')}` } : {},
      )
      const [old, query, consensus] = [connectTo(at), connectTo(at), connectTo(at)]
      const begun = old.call('commit')
      await expect.poll(() => order).toEqual(['commit 1'])
      const answers = Promise.all([query.call('info'), consensus.call('commit')])
      await old.call('echo', {})
      expect(order).toEqual(['commit 1'])
      open(0)
      await begun
      await old.call('commit')
      expect(order.filter((entry) => entry !== 'info')).toEqual(['commit 1', 'done 1', 'commit 2', 'done 2'])
      old.close()
      await answers
      expect(order.slice(0, 2)).toEqual(['commit 1', 'done 1'])
      expect(order.filter((entry) => entry !== 'info')).toEqual(
        [1, 2, 3].flatMap((number) => [`commit ${number}`, `done ${number}`]),
      )
      expect(order).toContain('info')
    },
  )

  it('keeps the session of snapshots when that of consensus begins', async () => {
    const at = await serve()
    const [snapshots, consensus] = [connectTo(at), connectTo(at)]
    const offered = { snapshot: create(abci.SnapshotSchema, { height: 5n, hash }), appHash: hash }
    await snapshots.call('offerSnapshot', offered)
    await consensus.call('processProposal', processRequest([]))
    await snapshots.call('listSnapshots')
    await consensus.call('processProposal', processRequest([]))
    expect(lines.filter((line) => line.includes('closed'))).toEqual([])
  })

  it('refuses what is out of order, and goes on', async () => {
    const outOfOrder = new CodedError('app', 10, 'Commit without a FinalizeBlock before it')
    expect(isOutOfOrder(outOfOrder)).toBe(true)
    const client = connectTo(await serve({ commit: () => Promise.reject(outOfOrder) }))
    await expect(client.call('commit')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'Commit without a FinalizeBlock before it',
    })
    expect((await client.call('echo', { message: 'on' })).message).toBe('on')
    expect(fatal).toEqual([])
  })

  it('answers a broken application with its words, tells of it once, and calls it no more', async () => {
    const failure = new InvariantError('the state is lost')
    let calls = 0
    const at = await serve({
      commit() {
        calls++
        return Promise.reject(failure)
      },
    })
    const [client, other] = [connectTo(at), connectTo(at)]
    await expect(client.call('commit')).rejects.toMatchObject({ code: status.INTERNAL, details: 'the state is lost' })
    for (const each of [client, other]) {
      await expect(each.call('commit')).rejects.toMatchObject({ code: status.UNAVAILABLE })
    }
    expect([fatal, calls]).toEqual([[failure], 1])
  })

  it('waits for a running call when it closes', async () => {
    const { promise: running, resolve: open } = Promise.withResolvers<number>()
    let [begun, ended] = [false, false]
    const client = connectTo(
      await serve({
        async commit() {
          begun = true
          await running
          ended = true
          return 0
        },
      }),
    )
    const cut = client.call('commit').catch(() => 'cut')
    await expect.poll(() => begun).toBe(true)
    const closing = servers[0]?.close()
    expect(await cut).toBe('cut')
    expect(ended).toBe(false)
    open(0)
    await closing
    expect(ended).toBe(true)
  })

  it('records the calls', async () => {
    const calls: RecordedCall[] = []
    const client = connectTo(await serve({}, { callLog: (call) => void calls.push(call) }))
    await client.call('info')
    await client.call('finalizeBlock', blockRequest([Uint8Array.of(1)]))
    await client.call('commit')
    expect(calls.map(({ method }) => method)).toEqual(['info', 'finalizeBlock', 'commit'])
  })

  describe('bounds its answers below the 4 MiB of CometBFT', () => {
    const log = 'x'.repeat(1_000)

    it('a proposal by what it asks of the application', async () => {
      const asked: number[] = []
      const client = connectTo(
        await serve({
          async prepareProposal({ maxTxBytes }) {
            asked.push(maxTxBytes)
            return [new Uint8Array(maxTxBytes - 5)]
          },
        }),
      )
      const { txs } = await client.call('prepareProposal', prepareRequest)
      expect(asked).toEqual([3 * MEBIBYTE])
      expect(txs[0]?.length).toBe(3 * MEBIBYTE - 5)
      await client.call('prepareProposal', { ...prepareRequest, maxTxBytes: 1_000n })
      expect(asked).toEqual([3 * MEBIBYTE, 1_000])
    })

    const blockOf = (results: number, texts: string): Partial<ConsensusApplication> => ({
      finalizeBlock: async ({ transactions }) => ({
        transactionResults: transactions.map(() => ({
          code: 7,
          codespace: 'test',
          log: texts,
          data: Uint8Array.of(9),
          gasWanted: 21_000n,
          gasUsed: 20_000n,
          events: encodeEvents([{ type: 'e', attributes: [{ key: 'k', value: log, index: true }] }]),
        })),
        events: Array.from({ length: results }, () => ({ type: 'block', attributes: [] })),
        validatorUpdates: [],
        consensusParameterUpdates: undefined,
        appHash: hash,
      }),
    })

    it.each([
      ['keeps the events of 100 results', 100, 'short', { events: 1, log: 'short' }],
      ['leaves out those of 5,000', 5_000, 'short', { events: 0, log: 'short' }],
      ['leaves out the texts too when they are too long', 5_000, log, { events: 0, log: '' }],
    ])('FinalizeBlock %s', async (_, count, texts, { events, log: shown }) => {
      const client = connectTo(await serve(blockOf(10, texts)))
      const txs = Array.from({ length: count }, () => Uint8Array.of(1))
      const { txResults, events: own, appHash } = await client.call('finalizeBlock', blockRequest(txs))
      expect(txResults).toHaveLength(count)
      expect(own).toHaveLength(events === 0 ? 0 : 10)
      expect(appHash).toEqual(hash)
      // What CometBFT hashes stays.
      expect(txResults.at(-1)).toMatchObject({ code: 7, data: Uint8Array.of(9), gasWanted: 21_000n, gasUsed: 20_000n })
      expect(txResults.at(-1)?.events).toHaveLength(events)
      expect(txResults.at(-1)?.log).toBe(shown)
    })

    it('a query by a code, a chunk by none, a list of snapshots by its first ones', async () => {
      const client = connectTo(
        await serve({
          abciQuery: async ({ height }) => ({
            code: 0,
            codespace: '',
            log: '',
            key: hash,
            value: new Uint8Array(height),
            height,
          }),
        }),
      )
      expect((await client.call('query', { height: 3n * BigInt(MEBIBYTE) })).value).toHaveLength(3 * MEBIBYTE)
      expect(await client.call('query', { height: 4n * BigInt(MEBIBYTE) })).toMatchObject({
        codespace: 'abci',
        code: ABCI_CODES.replyTooLarge,
        log: expect.stringContaining('an answer of 4194304 bytes is too large') as string,
      })
      const plain = createHandlers(createMemoryApplication())
      const snapshots = [1, 2, 3, 4].map((height) => ({
        height: BigInt(height),
        format: 1,
        chunks: 1,
        hash,
        metadata: new Uint8Array(MEBIBYTE),
      }))
      const large = connectTo(
        await serve(
          {},
          {
            handlers: {
              ...plain,
              loadSnapshotChunk: () =>
                create(abci.ResponseLoadSnapshotChunkSchema, { chunk: new Uint8Array(4 * MEBIBYTE) }),
              listSnapshots: () => create(abci.ResponseListSnapshotsSchema, { snapshots }),
            },
          },
        ),
      )
      expect((await large.call('loadSnapshotChunk')).chunk).toHaveLength(0)
      expect((await large.call('listSnapshots')).snapshots.map(({ height }) => height)).toEqual([1n, 2n, 3n])
    })
  })

  it('takes a block of 8 MB, and refuses a request over its own limit without harm', async () => {
    const seen: number[] = []
    const client = connectTo(
      await serve(
        {
          async processProposal({ transactions }) {
            seen.push(transactions[0]?.length ?? 0)
            return true
          },
        },
        { maxFrameBytes: 10_000_000 },
      ),
    )
    expect((await client.call('processProposal', processRequest([new Uint8Array(8_000_000)]))).status).toBe(1)
    await expect(client.call('processProposal', processRequest([new Uint8Array(12_000_000)]))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    })
    expect(seen).toEqual([8_000_000])
    expect((await client.call('echo', { message: 'alive' })).message).toBe('alive')
  })

  describe('of malformed input', () => {
    it('answers with a status: an unknown method, a message that does not decode, a missing field', async () => {
      const client = connectTo(await serve())
      await expect(client.send('Missing', new Uint8Array(0))).rejects.toMatchObject({ code: status.UNIMPLEMENTED })
      await expect(client.send('Echo', Uint8Array.of(0x0a, 0x7f))).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
      })
      await expect(client.call('finalizeBlock', { height: 1n })).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
      })
      expect(refused).toEqual([ABCI_CODES.undecodable, ABCI_CODES.missingField])
      expect(fatal).toEqual([])
    })

    it('survives random messages to every method', async () => {
      const client = connectTo(await serve())
      const random = createRandom(11)
      let answered = 0
      for (const { name } of abci.ABCI.methods) {
        // The memory application trusts the order of these; that is tested above.
        if (name === 'FinalizeBlock' || name === 'Commit') continue
        for (let run = 0; run < 40; run++) {
          const body = random.bytes(random.next(run < 20 ? 6 : 200))
          const outcome = await client.send(name, body).catch((error: { code: number }) => error.code)
          if (typeof outcome !== 'number') answered++
          else expect([status.INVALID_ARGUMENT, status.INTERNAL]).toContain(outcome)
        }
      }
      expect(answered).toBeGreaterThan(20)
      expect(fatal).toEqual([])
      expect((await client.call('echo', { message: 'alive' })).message).toBe('alive')
    })

    /** Writes bytes and waits for the end of the connection; a peer that is left waiting hangs up itself. */
    const write = async (port: number, bytes: Uint8Array): Promise<void> => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.resume()
      socket.end(bytes)
      if (!socket.closed) await once(socket, 'close')
    }

    it('survives connections that do not speak HTTP/2', async () => {
      const at = await serve()
      const port = Number(at.split(':')[1])
      const random = createRandom(12)
      const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      await write(port, Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'))
      await write(port, new Uint8Array(0))
      for (let run = 0; run < 200; run++) {
        const garbage = random.bytes(random.next(400))
        await write(port, run % 2 === 0 ? garbage : Buffer.concat([preface, garbage]))
      }
      expect((await connectTo(at).call('echo', { message: 'alive' })).message).toBe('alive')
      expect(fatal).toEqual([])
    })

    it('survives HTTP/2 that is not gRPC', async () => {
      const at = await serve()
      const session = connectHttp2(`http://${at}`)
      session.on('error', () => undefined)
      const path = '/tendermint.abci.ABCI/Echo'
      const grpcHeaders = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }
      const echo = toBinary(abci.RequestEchoSchema, create(abci.RequestEchoSchema, { message: 'x' }))
      const bodies: [Record<string, string>, Uint8Array][] = [
        [{ ':method': 'GET', ':path': '/' }, new Uint8Array(0)],
        [{ ':method': 'POST', ':path': path, 'content-type': 'text/plain' }, echo],
        [grpcHeaders, new Uint8Array(0)],
        [grpcHeaders, Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 1)],
        [grpcHeaders, Uint8Array.of(9, 0, 0, 0, 1, 1)],
        [grpcHeaders, Uint8Array.of(1, 0, 0, 0, 3, 1, 2, 3)],
        [{ ...grpcHeaders, 'grpc-encoding': 'nonsense' }, Uint8Array.of(1, 0, 0, 0, 1, 1)],
        [{ ...grpcHeaders, 'grpc-timeout': 'nonsense' }, Uint8Array.of(0, 0, 0, 0, echo.length, ...echo)],
        [grpcHeaders, Uint8Array.of(0, 0, 0, 0, echo.length, ...echo, 0, 0, 0, 0, echo.length, ...echo)],
      ]
      for (const [headers, body] of bodies) {
        const stream = session.request(headers, { endStream: false })
        stream.on('error', () => undefined)
        stream.resume()
        stream.end(body)
        await once(stream, 'close')
      }
      session.close()
      expect((await connectTo(at).call('echo', { message: 'alive' })).message).toBe('alive')
      expect(fatal).toEqual([])
    })
  })
})

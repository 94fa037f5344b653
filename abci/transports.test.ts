/** Both transports carry the same handlers: the same request gives the same answer, to the byte. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { abci } from '../proto/index.ts'
import { serveAbciGrpc } from './grpc-server.ts'
import { createHandlers, type AbciMethod } from './handlers.ts'
import type { AbciServer } from './server.ts'
import { serveAbciSocket } from './socket-server.ts'
import { connectClient, encodeRequest, type AbciClient } from './testing/client.ts'
import { connectGrpc, type AbciGrpcClient } from './testing/grpc-client.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

const hash = new Uint8Array(32).fill(0xb2)
const block = {
  txs: [Uint8Array.of(1), Uint8Array.of(2, 3)],
  hash,
  height: 1n,
  time: { seconds: 1_700_000_000n, nanos: 5 },
  nextValidatorsHash: hash,
  proposerAddress: new Uint8Array(20),
}
const publicKey = { sum: { case: 'ed25519', value: hash } }

/** The requests stand in an order in which they may be called. */
const REQUESTS: readonly (readonly [AbciMethod, Record<string, unknown>])[] = [
  ['echo', { message: 'héllo' }],
  ['flush', {}],
  ['info', { version: '0.38' }],
  [
    'initChain',
    { time: block.time, chainId: 'a-1', initialHeight: 1n, validators: [{ pubKey: publicKey, power: 1n }] },
  ],
  ['query', { path: '/a', data: hash, height: 7n }],
  ['query', { path: '/a', height: -7n }],
  ['checkTx', { tx: Uint8Array.of(0xff, 1) }],
  ['insertTx', { tx: Uint8Array.of(1) }],
  ['reapTxs', {}],
  ['listSnapshots', {}],
  ['offerSnapshot', { snapshot: { height: 5n, format: 1, chunks: 1, hash }, appHash: hash }],
  ['loadSnapshotChunk', { height: 5n, format: 1, chunk: 0 }],
  ['applySnapshotChunk', { index: 0, chunk: hash, sender: 'peer' }],
  ['prepareProposal', { ...block, hash: undefined, maxTxBytes: 1_000n, localLastCommit: {} }],
  ['processProposal', { ...block, proposedLastCommit: {} }],
  ['extendVote', { ...block, proposedLastCommit: {} }],
  ['verifyVoteExtension', { ...block, validatorAddress: new Uint8Array(20), voteExtension: hash }],
  ['finalizeBlock', { ...block, decidedLastCommit: {} }],
  ['commit', {}],
]

describe.each(['socket', 'grpc'] as const)('a server over %s', (transport) => {
  it('tells of each connection that begins to make consensus calls, and of no question', async () => {
    let connections = 0
    const quiet = (): void => {}
    const serve = transport === 'socket' ? serveAbciSocket : serveAbciGrpc
    const server = await serve({
      address: transport === 'socket' ? 'tcp://127.0.0.1:0' : '127.0.0.1:0',
      handlers: createHandlers(createMemoryApplication()),
      log: { info: quiet, warn: quiet, error: quiet },
      onFatal: quiet,
      onConsensusConnection: () => connections++,
    })
    /** Answers by the number of connections that the server has told of by then. */
    const connect = async () => {
      const client = transport === 'socket' ? await connectClient(server.address) : connectGrpc(server.address)
      const call = async (method: 'info' | 'initChain'): Promise<number> => {
        if (!('socket' in client)) await client.call(method, requestOf(method))
        else {
          client.write(encodeRequest({ case: method, value: requestOf(method) } as abci.Request['value']))
          await client.read(1)
        }
        return connections
      }
      return { call, close: () => ('socket' in client ? client.socket.destroy() : client.close()) }
    }
    const requestOf = (name: string): never => {
      const method = abci.ABCI.methods.find(({ localName }) => localName === name)
      if (method === undefined) throw new TypeError(`no method ${name}`)
      return create(method.input, REQUESTS.find(([known]) => known === name)?.[1] ?? {}) as never
    }
    const [asking, first, second] = [await connect(), await connect(), await connect()]
    try {
      // The handshake asks on another connection than that of consensus, and so do users through CometBFT's RPC.
      for (let i = 0; i < 3; i++) expect(await asking.call('info')).toBe(0)
      expect(await first.call('initChain')).toBe(1)
      expect(await first.call('initChain')).toBe(1)
      expect(await asking.call('info')).toBe(1)
      const waiting = second.call('initChain')
      expect(await first.call('initChain')).toBe(1)
      first.close()
      expect(await waiting).toBe(2)
      expect(await second.call('info')).toBe(2)
    } finally {
      for (const each of [asking, first, second]) each.close()
      await server.close()
    }
  })
})

describe('the transports', () => {
  const servers: AbciServer[] = []
  let socket: AbciClient
  let grpc: AbciGrpcClient

  beforeAll(async () => {
    const quiet = (): void => {}
    const options = () => ({
      handlers: createHandlers(createMemoryApplication()),
      log: { info: quiet, warn: quiet, error: quiet },
      onFatal: (error: unknown) => {
        throw error
      },
    })
    servers.push(await serveAbciSocket({ ...options(), address: 'tcp://127.0.0.1:0' }))
    servers.push(await serveAbciGrpc({ ...options(), address: '127.0.0.1:0' }))
    const [first, second] = servers.map(({ address }) => address)
    socket = await connectClient(first ?? '')
    grpc = connectGrpc(second ?? '')
  })
  afterAll(async () => {
    socket.socket.destroy()
    grpc.close()
    for (const server of servers) await server.close()
  })

  it('know every method', () => {
    const methods = abci.ABCI.methods.map(({ localName }) => localName)
    expect([...new Set<string>(REQUESTS.map(([method]) => method))].toSorted()).toEqual(methods.toSorted())
  })

  it.each(REQUESTS)('answer %s alike', async (name, request) => {
    const method = abci.ABCI.methods.find(({ localName }) => localName === name)
    if (method === undefined) throw new TypeError(`no method ${name}`)
    const message = create(method.input, request)
    socket.write(encodeRequest({ case: name, value: message } as abci.Request['value']))
    const [framed] = await socket.read(1)
    expect(framed?.value.case).toBe(name)
    const bytes = await grpc.send(method.name, toBinary(method.input, message))
    expect(bytes).toEqual(Uint8Array.from(toBinary(method.output, framed?.value.value as never)))
    expect(fromBinary(method.output, bytes).$typeName).toBe(method.output.typeName)
  })
})

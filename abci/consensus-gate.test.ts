import { connect } from 'node:net'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { create } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { abci } from '../proto/index.ts'
import { createConsensusGate, type GateMember } from './consensus-gate.ts'
import { createHandlers } from './handlers.ts'
import { serveAbciGrpc } from './grpc-server.ts'
import { serveAbciSocket } from './socket-server.ts'
import { connectClient, encodeRequest } from './testing/client.ts'
import { connectGrpc } from './testing/grpc-client.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

const member = (peer?: string): GateMember => ({ peer })

it('keeps consensus with the connection that has it: a newer one waits, and is refused', async () => {
  let owners = 0
  const gate = createConsensusGate(() => owners++, 10)
  const [first, second] = [member(), member()]
  expect(gate.enter(first, 'commit')).toBeUndefined()
  await expect(gate.enter(second, 'finalizeBlock')).rejects.toMatchObject({ codespace: 'abci', code: 9 })
  expect(gate.enter(first, 'commit')).toBeUndefined()
  // What is no consensus call never waits for it.
  expect(gate.enter(second, 'checkTx')).toBeUndefined()
  expect(owners).toBe(1)
})

it('goes to the one that has waited longest once the other has left, behind the call that still runs', async () => {
  let owners = 0
  const gate = createConsensusGate(() => owners++)
  const [first, second, gone, third] = [member(), member(), member(), member()]
  const running = Promise.withResolvers<void>()
  void gate.enter(first, 'commit')
  gate.hold('commit', running.promise)
  const order: string[] = []
  const waits = [gone, second, third].map((each, index) =>
    gate.enter(each, 'commit')?.then(() => order.push(['gone', 'second', 'third'][index] ?? '')),
  )
  gate.leave(gone)
  gate.leave(first)
  await Promise.resolve()
  running.resolve()
  await waits[1]
  expect(order).toEqual(['gone', 'second'])
  expect(owners).toBe(2)
  expect(gate.enter(second, 'commit')).toBeUndefined()
  gate.leave(second)
  await waits[2]
  expect(owners).toBe(3)
})

it('admits one peer while that makes consensus calls', () => {
  const gate = createConsensusGate(() => undefined)
  const first = member('10.0.0.2')
  expect(gate.admits('10.0.0.3')).toBe(true)
  void gate.enter(first, 'commit')
  expect([gate.admits('10.0.0.2'), gate.admits('10.0.0.3'), gate.admits(undefined)]).toEqual([true, false, false])
  gate.leave(first)
  expect(gate.admits('10.0.0.3')).toBe(true)
})

/** Another address of this machine's loopback: the system answers on all of 127.0.0.0/8. */
const hasLoopback = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '127.0.0.1'),
)

it.skipIf(!hasLoopback).each(['socket', 'grpc'] as const)(
  'a server over %s hangs up on a stranger, and consensus goes on',
  async (transport) => {
    const quiet = (): void => {}
    const warnings: string[] = []
    const server = await (transport === 'socket' ? serveAbciSocket : serveAbciGrpc)({
      address: 'tcp://127.0.0.1:0',
      handlers: createHandlers(createMemoryApplication({ commit: () => Promise.resolve(0) })),
      log: { info: quiet, warn: (line) => warnings.push(line), error: quiet },
      onFatal: quiet,
    })
    const port = Number(server.address.split(':').at(-1))
    const commit = create(abci.RequestCommitSchema)
    const call = await (async () => {
      if (transport === 'grpc') {
        const client = connectGrpc(server.address.replace('tcp://', ''))
        return { once: () => client.call('commit', commit), close: () => client.close() }
      }
      const client = await connectClient(server.address)
      const once = async (): Promise<unknown> => {
        client.write(encodeRequest({ case: 'commit', value: commit }))
        return await client.read(1)
      }
      return { once, close: () => client.socket.destroy() }
    })()
    try {
      await call.once()
      const stranger = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.9' })
      stranger.on('error', quiet).resume()
      await once(stranger, 'close')
      expect(warnings).toHaveLength(1)
      await call.once()
    } finally {
      call.close()
      await server.close()
    }
  },
)

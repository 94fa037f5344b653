import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ExtendedVote } from '../app/ports.ts'
import { InvariantError } from '../core/errors.ts'
import { verifyExtensionSignature } from '../core/vote-extension.ts'
import type { RecordedCall } from './call-log.ts'
import { checkCallSequence } from './testing/grammar.ts'
import { serveAbciGrpc } from './grpc-server.ts'
import { createHandlers } from './handlers.ts'
import type { AbciServer } from './server.ts'
import { serveAbciSocket } from './socket-server.ts'
import {
  createCometHome,
  findCometbft,
  startComet,
  waitForBlock,
  type Comet,
  type CometHome,
} from './testing/cometbft.ts'
import { createMemoryApplication, type MemoryApplication } from './testing/memory-application.ts'

const binary = findCometbft()
if (binary === undefined) console.log('skipped: there is no cometbft: "make setup" builds it')

interface SeenProposal {
  readonly height: number
  readonly round: number
  readonly votes: readonly ExtendedVote[]
}

const TRANSPORTS = [
  { transport: 'socket', serveAbci: serveAbciSocket },
  { transport: 'grpc', serveAbci: serveAbciGrpc },
] as const

describe.skipIf(binary === undefined).each(TRANSPORTS)('CometBFT over $transport', ({ transport, serveAbci }) => {
  let folder: string
  let home: CometHome
  let application: MemoryApplication
  let server: AbciServer | undefined
  let comet: Comet | undefined
  let calls: RecordedCall[] = []
  let proposals: SeenProposal[] = []
  let chainId = ''
  let problems: unknown[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'abci-app-'))
    home = createCometHome(binary ?? '')
    calls = []
    proposals = []
    problems = []
    const plain = createMemoryApplication()
    application = {
      ...plain,
      initChain(request) {
        chainId = request.chainId
        return plain.initChain(request)
      },
      prepareProposal(request) {
        proposals.push({ height: request.height, round: request.lastCommitRound, votes: request.votes })
        return plain.prepareProposal(request)
      },
    }
  })

  afterEach(async () => {
    await comet?.stop('SIGKILL')
    await server?.close()
    home.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const serve = async (address: string): Promise<string> => {
    const quiet = (): void => {}
    server = await serveAbci({
      address,
      handlers: createHandlers(application),
      log: { info: quiet, warn: quiet, error: quiet },
      callLog: (call) => calls.push(call),
      onFatal: (error) => problems.push(error),
      onProtocolError: (error) => problems.push(error),
    })
    return server.address
  }

  /** Fails with CometBFT's own words when it ends before. */
  const start = async (address: string, height: number): Promise<Comet> => {
    const started = await startComet(binary ?? '', home, address, transport)
    comet = started
    const died = new Promise<never>((_, reject) => {
      started.process.once('exit', () => reject(new TypeError(`cometbft ended: ${started.log().slice(-2_000)}`)))
    })
    died.catch(() => {})
    // Its RPC listens before consensus begins.
    await Promise.race([application.waitForHeight(application.committedHeight() + 1), died])
    await Promise.race([waitForBlock(started.rpcPort, height), died])
    return started
  }

  const rpc = async (
    path: string,
  ): Promise<{ readonly result?: { readonly response?: unknown; readonly code?: number } }> => {
    const response = await fetch(`http://127.0.0.1:${comet?.rpcPort}/${path}`)
    return (await response.json()) as { result?: { response?: unknown; code?: number } }
  }

  it.each(['unix', 'tcp'])('makes blocks over %s, in the order of the grammar', async (kind) => {
    await start(await serve(kind === 'unix' ? `unix://${join(folder, 'app.sock')}` : 'tcp://127.0.0.1:0'), 5)
    expect(application.committedHeight()).toBeGreaterThanOrEqual(5)
    expect(checkCallSequence(calls)).toBeUndefined()
    const count = (method: string): number => calls.filter((call) => call.method === method).length
    for (const method of ['prepareProposal', 'processProposal', 'extendVote', 'finalizeBlock', 'commit']) {
      expect(count(method), `calls of ${method}`).toBeGreaterThanOrEqual(5)
    }
    expect(problems).toEqual([])
  })

  it('signs vote extensions as core/vote-extension.ts checks them', async () => {
    await start(await serve(`unix://${join(folder, 'app.sock')}`), 3)
    const [validator] = application.validators
    const publicKey = validator?.publicKey ?? new Uint8Array(0)
    const signed = proposals.filter(({ height }) => height > 1)
    expect(signed.length).toBeGreaterThanOrEqual(2)
    for (const { height, round, votes } of signed) {
      expect(votes).toHaveLength(1)
      for (const { extension, extensionSignature, flag } of votes) {
        expect(flag).toBe('commit')
        expect(Buffer.from(extension).toString()).toBe(`extension of ${height - 1}`)
        const vote = { publicKey, extension, signature: extensionSignature, height: height - 1, chainId }
        expect(verifyExtensionSignature({ ...vote, round })).toBe(true)
        expect(verifyExtensionSignature({ ...vote, round: round + 1 })).toBe(false)
      }
    }
  })

  it('goes on after it was killed and started again, over the same server', async () => {
    const address = await serve('tcp://127.0.0.1:0')
    const first = await start(address, 3)
    await first.stop('SIGKILL')
    const height = application.committedHeight()
    await start(address, height + 3)
    expect(application.committedHeight()).toBeGreaterThanOrEqual(height + 3)
    expect(checkCallSequence(calls)).toBeUndefined()
    expect(problems).toEqual([])
  })

  it('brings transactions and queries, also malformed ones, without harm', async () => {
    await start(await serve(`unix://${join(folder, 'app.sock')}`), 1)
    expect((await rpc('broadcast_tx_sync?tx=0xff01')).result?.code).toBe(1)
    const committed = await rpc('broadcast_tx_commit?tx=0x0102')
    expect(committed.result).toMatchObject({ check_tx: { code: 0 }, tx_result: { code: 0, gas_used: '2' } })
    expect(application.transactions).toEqual([Uint8Array.of(1, 2)])
    expect((await rpc('abci_query?path="/a"&height=3')).result?.response).toMatchObject({ log: '/a', height: '3' })
    // A negative height reaches the application, and bytes that are no UTF-8 are replaced before they do.
    const negative = (await rpc('abci_query?path="/a"&height=-5')).result?.response
    expect(negative).toMatchObject({ codespace: 'abci', code: 6 })
    expect((await rpc('abci_query?path="/%ff%ed%a0%80"')).result?.response).toMatchObject({ codespace: '' })
    await application.waitForHeight(application.committedHeight() + 2)
    expect(problems).toEqual([])
  })

  it('ends when the application breaks, and the application is told', async () => {
    const failure = new InvariantError('block 3 cannot be')
    const { finalizeBlock } = application
    application = {
      ...application,
      finalizeBlock: (block) => (block.height === 3 ? Promise.reject(failure) : finalizeBlock(block)),
    }
    const address = await serve(`unix://${join(folder, 'app.sock')}`)
    const started = await startComet(binary ?? '', home, address, transport)
    comet = started
    // Over gRPC it stays, with its consensus stopped: whoever runs it must end it.
    if (transport === 'socket') await once(started.process, 'exit')
    else await expect.poll(() => started.log()).toContain('CONSENSUS FAILURE!!!')
    expect(started.log()).toContain('block 3 cannot be')
    expect(problems).toEqual([failure])
    expect(application.committedHeight()).toBe(2)
  })
})

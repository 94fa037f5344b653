/**
 * `chain start`: the application in this process, CometBFT and the gateway as children. Everything starts in the order
 * in which it is needed and stops in the reverse; a fatal error of any part stops all.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import type { ConsensusStatus } from '../../app/environment.ts'
import { formatCall, type RecordedCall } from '../../abci/call-log.ts'
import { createHandlers } from '../../abci/handlers.ts'
import { serveAbciSocket } from '../../abci/socket-server.ts'
import { serveGrpc } from '../../rpc/native/grpc-server.ts'
import { serveQueries } from '../../rpc/stream/serve-queries.ts'
import { formatHostPort } from '../config/kinds.ts'
import { cliError } from '../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import { findCometbft } from '../supervise/cometbft-binary.ts'
import type { ChildOptions } from '../supervise/child.ts'
import { COMETBFT_POLICY, GATEWAY_POLICY, keepRunning } from '../supervise/keep-running.ts'
import { requireFreePorts } from '../supervise/ports.ts'
import { watchProgress } from '../supervise/watch-progress.ts'
import { cometListeners, gatewayListeners, grpcListeners, type NodeConfiguration } from './load-node.ts'
import { openApplication } from './open-application.ts'

export interface NodeOptions {
  readonly configuration: NodeConfiguration
  readonly log: NodeLog
  /** CometBFT runs elsewhere and connects to `abciAddress`. */
  readonly externalCometbft: boolean
  /** Gateways run elsewhere and connect to `queriesAddress`. */
  readonly externalGateway: boolean
  /** Of the sockets in the home when left out. */
  readonly abciAddress?: string
  readonly queriesAddress?: string
  /** Calls of CometBFT are appended to it: abci/grammar.ts checks them. */
  readonly callLogFile?: string
  /** Arguments of `chain gateway` after its home and the address of the application. */
  readonly gatewayArguments: readonly string[]
  /** Output of the children, line by line. */
  onChildLine(name: string, line: string): void
  /** Called at every committed height. */
  onHeight?(height: number): void
}

export interface RunningNode {
  /** Settles when the node must stop: a part failed for good, or halt-height (in words) was reached. Never rejects. */
  readonly ended: Promise<Error | string>
  readonly height: () => number
  stop(): Promise<void>
}

/** Things to undo, in reverse order; each is undone even when another failed. */
class Teardown {
  readonly #steps: { readonly name: string; readonly run: () => Promise<void> | void }[] = []

  add(name: string, run: () => Promise<void> | void): void {
    this.#steps.push({ name, run })
  }

  async run(log: NodeLog): Promise<void> {
    for (const { name, run } of this.#steps.splice(0).toReversed()) {
      try {
        await run()
      } catch (error) {
        log.error(`stopping ${name} failed`, { reason: error instanceof Error ? error.message : String(error) })
      }
    }
  }
}

const chainScript = new URL('../chain.ts', import.meta.url).pathname

const gatewayChild = (options: NodeOptions, queriesAddress: string): ChildOptions => ({
  name: 'gateway',
  command: process.execPath,
  args: [
    '--disable-warning=ExperimentalWarning',
    chainScript,
    'gateway',
    '--home',
    options.configuration.home.root,
    '--application',
    queriesAddress,
    ...options.gatewayArguments,
  ],
  onLine: (line) => options.onChildLine('gateway', line),
})

const cometChild = (options: NodeOptions, binary: string, abciAddress: string): ChildOptions => {
  const { home, comet } = options.configuration
  return {
    name: 'cometbft',
    command: binary,
    args: [
      'start',
      '--home',
      home.root,
      '--proxy_app',
      abciAddress,
      '--rpc.laddr',
      comet.rpc,
      '--p2p.laddr',
      comet.p2p,
    ],
    onLine: (line) => options.onChildLine('cometbft', line),
  }
}

/** Each call is in the file before CometBFT sees the answer: what is missing after a crash was not answered. */
const recordTo = (file: string): { readonly callLog: (call: RecordedCall) => void } => ({
  callLog: (call) => appendFileSync(file, `${formatCall(call)}\n`),
})

/** Throws a CodedError when something is in the way; nothing is left running then. */
export const runNode = async (options: NodeOptions): Promise<RunningNode> => {
  const { configuration, log } = options
  const { home, settings } = configuration
  const abciAddress = options.abciAddress ?? home.abciSocket
  const queriesAddress = options.queriesAddress ?? home.queriesSocket
  const binary = options.externalCometbft ? undefined : await findCometbft()
  await requireFreePorts([
    ...(options.externalCometbft ? [] : cometListeners(configuration)),
    ...grpcListeners(configuration),
    ...(options.externalGateway ? [] : gatewayListeners(configuration)),
  ])
  mkdirSync(home.data, { recursive: true })

  const teardown = new Teardown()
  const { promise: ended, resolve: end } = Promise.withResolvers<Error | string>()
  // First, for it loads while the database opens, and connects as soon as somebody listens.
  const gateway = options.externalGateway
    ? undefined
    : keepRunning(gatewayChild(options, queriesAddress), GATEWAY_POLICY, log, end)
  const stop = async (): Promise<void> => {
    await gateway?.stop()
    await teardown.run(log)
  }
  try {
    const { application, setConsensusStatus, close } = await openApplication(configuration, log)
    teardown.add('the database', close)
    const queries = await serveQueries({ address: queriesAddress, application, log, onFatal: end })
    teardown.add('the query stream', () => queries.close())
    if (settings['grpc.enable']) {
      const grpc = await serveGrpc({
        address: formatHostPort(settings['grpc.address']),
        application,
        log,
        maxReceiveBytes: settings['grpc.max-recv-msg-size'],
        maxSendBytes: settings['grpc.max-send-msg-size'],
      })
      teardown.add('the gRPC server', () => grpc.close())
    }
    const abci = await serveAbciSocket({
      address: abciAddress,
      handlers: createHandlers(application),
      log,
      ...(options.callLogFile === undefined ? {} : recordTo(options.callLogFile)),
      onFatal: (error) => end(error instanceof Error ? error : cliError('childFailed', String(error))),
    })
    teardown.add('the ABCI server', () => abci.close())

    if (binary !== undefined) {
      const cometbft = keepRunning(cometChild(options, binary, abci.address), COMETBFT_POLICY, log, end)
      teardown.add('cometbft', () => cometbft.stop())
    }
    const onStatus = (status: ConsensusStatus): void => setConsensusStatus(status)
    const watch = watchProgress({ rpc: configuration.comet.rpc, log, height: () => application.height, onStatus })
    teardown.add('the progress watch', () => watch.stop())

    const haltHeight = settings['halt-height']
    teardown.add(
      'the head subscription',
      application.subscribe((announcement) => {
        if (announcement.type !== 'head') return
        const { height } = announcement.head
        options.onHeight?.(height)
        // CometBFT waits for timeout_commit now: in time to stop it before the next height, unless it is catching up.
        if (haltHeight > 0 && height >= haltHeight) end(`halt-height ${haltHeight}`)
      }),
    )
    return { ended, height: () => application.height, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

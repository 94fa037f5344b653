/**
 * `chain start`: the application in this process, CometBFT and the gateway as children. Everything starts in the order
 * in which it is needed and stops in the reverse; a fatal error of any part stops all.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import type { ConsensusStatus } from '../../app/environment.ts'
import type { Head } from '../../app/ports.ts'
import { formatCall, type RecordedCall } from '../../abci/call-log.ts'
import { serveAbciGrpc } from '../../abci/grpc-server.ts'
import { createHandlers } from '../../abci/handlers.ts'
import { serveAbciSocket } from '../../abci/socket-server.ts'
import { serveQueries } from '../../rpc/stream/serve-queries.ts'
import { requireWritableFolder } from '../config/home.ts'
import { cliError, errorText } from '../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import { limitOtherThreads, SMALL_SEMI_SPACE } from '../runtime/young-objects.ts'
import { findCometbft } from '../supervise/cometbft-binary.ts'
import type { ChildOptions } from '../supervise/child.ts'
import { GATEWAY_POLICY, keepRunning } from '../supervise/keep-running.ts'
import { requireFreePorts } from '../supervise/ports.ts'
import { runCometbft } from '../supervise/run-cometbft.ts'
import { watchProgress } from '../supervise/watch-progress.ts'
import { createHalt } from './halt.ts'
import { cometListeners, gatewayListeners, type NodeConfiguration } from './load-node.ts'
import { openApplication } from './open-application.ts'

/** CometBFT's names. */
export type AbciTransport = 'socket' | 'grpc'

export interface NodeOptions {
  readonly configuration: NodeConfiguration
  readonly log: NodeLog
  /** CometBFT runs elsewhere and connects to `abciAddress`. */
  readonly externalCometbft: boolean
  /** Gateways run elsewhere and connect to `queriesAddress`. */
  readonly externalGateway: boolean
  readonly abciTransport: AbciTransport
  /** Of the sockets in the home when left out. */
  readonly abciAddress?: string
  readonly queriesAddress?: string
  /** Over COMETBFT_BINARY and the PATH. */
  readonly cometbftBinary?: string
  /** Calls of CometBFT are appended to it: abci/testing/grammar.ts checks them. */
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

/** Whoever met a fault of the database is answered before the gateway ends; nothing is read or written meanwhile. */
const FAULT_GRACE_MS = 100

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
        log.error(`stopping ${name} failed`, { reason: errorText(error) })
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
    SMALL_SEMI_SPACE,
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

/** Time of the head's block in seconds since 1970. */
const headSeconds = ({ header }: Head): number =>
  Number((JSON.parse(header) as { readonly timestamp: string }).timestamp)

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
  const binary = options.externalCometbft ? undefined : await findCometbft(process.env, options.cometbftBinary)
  const served = options.externalGateway ? [] : gatewayListeners(configuration)
  await requireFreePorts([...(options.externalCometbft ? [] : cometListeners(configuration)), ...served])
  requireWritableFolder(home.data)
  mkdirSync(home.data, { recursive: true })

  const teardown = new Teardown()
  limitOtherThreads()
  const { promise: ended, resolve: end } = Promise.withResolvers<Error | string>()
  const onFault = (error: Error): void => void setTimeout(end, FAULT_GRACE_MS, error)
  // First, for it loads while the database opens, and connects as soon as somebody listens. One without servers ends.
  const gateway =
    served.length === 0 ? undefined : keepRunning(gatewayChild(options, queriesAddress), GATEWAY_POLICY, log, end)
  const stop = async (): Promise<void> => {
    await gateway?.stop()
    await teardown.run(log)
  }
  try {
    const { application, setConsensusStatus, close } = await openApplication(configuration, log, onFault)
    teardown.add('the database', close)
    const haltSettings = { height: settings['halt-height'], timeSeconds: settings['halt-time'] }
    const halt = createHalt(haltSettings, end, () => application.nextBlockFault())
    // Before anybody can be told of the next block.
    teardown.add(
      'the halt',
      application.subscribe((announcement) => {
        if (announcement.type === 'head') halt.committed(announcement.head.height, headSeconds(announcement.head))
      }),
    )
    const queries = await serveQueries({ address: queriesAddress, application, log, onFatal: end })
    teardown.add('the query stream', () => queries.close())
    const serveAbci = options.abciTransport === 'grpc' ? serveAbciGrpc : serveAbciSocket
    const abci = await serveAbci({
      address: abciAddress,
      handlers: halt.guard(createHandlers(application)),
      log,
      ...(options.callLogFile === undefined ? {} : recordTo(options.callLogFile)),
      onFatal: (error) => end(error instanceof Error ? error : cliError('childFailed', String(error))),
    })
    teardown.add('the ABCI server', () => {
      const closed = abci.close()
      halt.release()
      return closed
    })

    if (binary !== undefined) {
      const cometbft = runCometbft({
        binary,
        home: home.root,
        transport: options.abciTransport,
        proxyApp: abci.address,
        ...configuration.comet,
        log,
        onLine: (line) => options.onChildLine('cometbft', line),
        onGivenUp: end,
      })
      teardown.add('cometbft', () => cometbft.stop())
    }
    const onStatus = (status: ConsensusStatus): void => setConsensusStatus(status)
    const watch = watchProgress({ rpc: configuration.comet.rpc, log, height: () => application.height, onStatus })
    teardown.add('the progress watch', () => watch.stop())

    teardown.add(
      'the head subscription',
      application.subscribe((announcement) => {
        if (announcement.type === 'head') options.onHeight?.(announcement.head.height)
      }),
    )
    return { ended, height: () => application.height, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

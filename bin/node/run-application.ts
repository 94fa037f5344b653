/**
 * The application in this process: database, ABCI server, query stream. Its supervisor runs CometBFT and the gateway
 * beside it (bin/node/supervise/supervise-node.ts), as it says here. Everything starts in the order in which it is needed and
 * stops in the reverse; a fatal error of any part stops all.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ConsensusStatus } from '../../app/environment.ts'
import type { Announcement, Head } from '../../app/ports.ts'
import { formatCall, type RecordedCall } from '../../abci/call-log.ts'
import { createHandlers } from '../../abci/handlers.ts'
import { meterHandlers } from '../../abci/metered-handlers.ts'
import type { serveAbciSocket } from '../../abci/socket-server.ts'
import { withAskers } from './runtime/current-asker.ts'
import { parseEndpoint } from '../../core/host-port.ts'
import { isLoopback } from '../../rpc/hosts.ts'
import { serveQueries } from '../../rpc/stream/serve-queries.ts'
import type { BridgeOptions } from './bridge/options.ts'
import { type DaemonServer, serveDaemon } from './bridge/serve-daemon.ts'
import { requireWritableFolder } from './config/home.ts'
import { readSecret } from './read-secret.ts'
import { cliError, errorText } from '../errors.ts'
import type { PartLog } from './runtime/log.ts'
import { logFormatOf } from './runtime/log-format.ts'
import { watchSocketFiles } from './runtime/socket-files.ts'
import { limitOtherThreads } from './runtime/young-objects.ts'
import { findCometbft } from './supervise/cometbft-binary.ts'
import type { FromApplication } from './supervise/messages.ts'
import { requireFreePorts } from './supervise/ports.ts'
import { watchProgress } from './supervise/watch-progress.ts'
import { createHalt } from './halt.ts'
import { cometListeners, gatewayListeners, metricsListeners } from './listeners.ts'
import type { NodeConfiguration } from './load-node.ts'
import { startTelemetry } from './metrics/telemetry.ts'
import { startTraces } from './traces/start-traces.ts'
import { noteUpgrade } from './upgrade-info.ts'
import { openApplication } from './open-application.ts'

/** CometBFT's names. */
export type AbciTransport = 'socket' | 'grpc'

export interface ApplicationOptions {
  readonly configuration: NodeConfiguration
  readonly log: PartLog
  /** An application of this node has died before: its gateway runs, and holds its ports. */
  readonly isRestarted: boolean
  /** CometBFT runs elsewhere and connects to `abciAddress`. */
  readonly externalCometbft: boolean
  /** Gateways run elsewhere and connect to `queriesAddress`. */
  readonly externalGateway: boolean
  readonly abciTransport: AbciTransport
  /** The addresses; those of the sockets in the home when left out. */
  readonly abciAddress?: string
  readonly queriesAddress?: string
  /** Holds what gateways must know. */
  readonly queriesSecretFile?: string
  /** The binary, which goes before COMETBFT_BINARY and the PATH. */
  readonly cometbftBinary?: string
  /** Calls of CometBFT are appended to it: abci/testing/grammar.ts checks them. */
  readonly callLogFile?: string
  /** Arguments of `chain gateway` after its home and the address of the application. */
  readonly gatewayArguments: readonly string[]
  /** The daemon of the bridge; left out where none runs. */
  readonly bridge?: BridgeOptions
  /** Tells the supervisor. */
  tell(message: FromApplication): void
}

export interface RunningApplication {
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

  async run(log: PartLog): Promise<void> {
    for (const { name, run } of this.#steps.splice(0).toReversed()) {
      try {
        await run()
      } catch (error) {
        log.error(`stopping ${name} failed`, { reason: errorText(error) })
      }
    }
  }
}

/** Time of the head's block in seconds since 1970. */
const headSeconds = ({ header }: Head): number =>
  Number((JSON.parse(header) as { readonly timestamp: string }).timestamp)

/** Each call is in the file before CometBFT sees the answer: what is missing after a crash was not answered. */
const recordTo = (file: string): { readonly callLog: (call: RecordedCall) => void } => ({
  callLog: (call) => appendFileSync(file, `${formatCall(call)}\n`),
})

const hasBridge = ({ bridge }: ApplicationOptions): boolean => bridge !== undefined && bridge.endpoints.length > 0

/** Undefined where no daemon runs. */
const openBridge = async (
  options: ApplicationOptions,
  end: (error: Error) => void,
): Promise<DaemonServer | undefined> => {
  const { bridge, configuration, log } = options
  if (bridge === undefined || !hasBridge(options)) return undefined
  return await serveDaemon({
    ...bridge,
    path: configuration.home.bridgeSocket,
    log: log.of('bridge'),
    onUnhealthy: (reason) => end(cliError('daemonUnhealthy', reason)),
  })
}

const NO_SECRET =
  'whoever reaches the query stream may ask all of it: keep it in a network of its own, or give it and its gateways --queries-secret-file'

/** Not a socket of this machine alone. */
const isOpenToOthers = (address: string): boolean => {
  const endpoint = parseEndpoint(address)
  return endpoint !== undefined && !('path' in endpoint) && !isLoopback(endpoint.host)
}

/** Checks that everything is there, and says what is to be run beside this process. */
const planParts = async (options: ApplicationOptions, queriesAddress: string): Promise<void> => {
  const { configuration, externalCometbft, externalGateway, gatewayArguments } = options
  const { home, settings } = configuration
  const binary = externalCometbft ? undefined : await findCometbft(process.env, options.cometbftBinary)
  const served = externalGateway ? [] : gatewayListeners(configuration)
  const { queriesSecretFile } = options
  const secret = queriesSecretFile === undefined ? [] : ['--queries-secret-file', queriesSecretFile]
  const listeners = [
    ...(externalCometbft ? [] : cometListeners(configuration)),
    ...served,
    ...metricsListeners(configuration, 'telemetry.address'),
    ...(served.length === 0 ? [] : metricsListeners(configuration, 'telemetry.gateway-address')),
  ]
  if (!options.isRestarted) await requireFreePorts(listeners)
  requireWritableFolder(home.data)
  mkdirSync(home.data, { recursive: true })
  const { comet, signerSocket } = configuration
  const signer = signerSocket === undefined ? {} : { signerSocket }
  const cometbft = { home: home.root, transport: options.abciTransport, ...comet, ...signer }
  options.tell({
    type: 'planned',
    logging: {
      levels: settings['log-level'],
      format: logFormatOf(settings['log-format']),
      ...(settings['log-cometbft'] === 'file' ? { cometbftFile: join(home.logs, 'cometbft.log') } : {}),
    },
    ...(binary === undefined ? {} : { cometbft: { binary, ...cometbft } }),
    // One without servers would end.
    ...(served.length === 0
      ? {}
      : { gatewayArguments: ['--home', home.root, '--application', queriesAddress, ...secret, ...gatewayArguments] }),
    ...(hasBridge(options) ? { bridgeSocket: home.bridgeSocket } : {}),
  })
}

/** The other one is not loaded: gRPC is a library of its own. */
const loadTransport = async (transport: AbciTransport): Promise<typeof serveAbciSocket> =>
  transport === 'grpc'
    ? (await import('../../abci/grpc-server.ts')).serveAbciGrpc
    : (await import('../../abci/socket-server.ts')).serveAbciSocket

/** Throws a CodedError when something is in the way; nothing is left running then. */
export const runApplication = async (options: ApplicationOptions): Promise<RunningApplication> => {
  const { configuration, log } = options
  const { home, settings } = configuration
  const abciAddress = options.abciAddress ?? home.abciSocket
  const queriesAddress = options.queriesAddress ?? home.queriesSocket
  const secret = readSecret(options.queriesSecretFile)
  await planParts(options, queriesAddress)

  const teardown = new Teardown()
  limitOtherThreads()
  const { promise: ended, resolve: end } = Promise.withResolvers<Error | string>()
  const onFault = (error: Error): void => void setTimeout(end, FAULT_GRACE_MS, error)
  const stop = (): Promise<void> => teardown.run(log)
  try {
    const bridge = await openBridge(options, end)
    if (bridge !== undefined) teardown.add('the socket of the bridge daemon', () => bridge.close())
    const running = await startTraces(settings, configuration, log.of('telemetry'))
    if (running !== undefined) teardown.add('the traces', () => running.close())
    const traces = running?.traces
    const { meter, close: closeTelemetry } = await startTelemetry(
      metricsListeners(configuration, 'telemetry.address'),
      log.of('telemetry'),
    )
    const opened = await openApplication({ configuration, log, onFault, bridge, meter, traces }).catch(
      async (error: unknown) => {
        await closeTelemetry()
        throw error
      },
    )
    const { application, setConsensusStatus, close } = opened
    teardown.add('the database', close)
    // Figures are read of it.
    teardown.add('the metrics', closeTelemetry)
    bridge?.onChange(() => application.refreshStatus())
    const haltSettings = { height: settings['halt-height'], timeSeconds: settings['halt-time'] }
    const halt = createHalt(haltSettings, end, () => noteUpgrade(home, application.nextBlockFault()))
    if (traces !== undefined) {
      const follow = ({ type }: Announcement): void => void (type === 'head' && traces.announced())
      teardown.add('the announcements of traces', application.subscribe(follow))
    }
    // The halt is decided before anybody can be told of the next block.
    teardown.add(
      'the halt',
      application.subscribe((announcement) => {
        if (announcement.type === 'head') halt.committed(announcement.head.height, headSeconds(announcement.head))
      }),
    )
    if (secret === undefined && isOpenToOthers(queriesAddress)) log.warn(NO_SECRET, { address: queriesAddress })
    const queries = await serveQueries({
      address: queriesAddress,
      ...(secret === undefined ? {} : { secret }),
      application: withAskers(application),
      log: log.of('questions'),
      onFatal: end,
    })
    teardown.add('the query stream', () => queries.close())
    const serveAbci = await loadTransport(options.abciTransport)
    const abci = await serveAbci({
      address: abciAddress,
      handlers: meterHandlers(halt.guard(createHandlers(application)), {
        meter,
        nowMs: () => performance.now(),
        onEnd: (method, fromMs, toMs) => traces?.called(method, fromMs, toMs),
      }),
      log: log.of('abci'),
      ...(options.callLogFile === undefined ? {} : recordTo(options.callLogFile)),
      onConsensusConnection: () => application.consensusConnected(),
      onFatal: (error) => end(error instanceof Error ? error : cliError('childFailed', String(error))),
    })
    teardown.add('the ABCI server', () => {
      const closed = abci.close()
      halt.release()
      return closed
    })
    teardown.add('the watch of socket files', watchSocketFiles([queries, abci], log.of('node')))
    options.tell({ type: 'listening', proxyApp: abci.address })
    const onStatus = (status: ConsensusStatus): void => setConsensusStatus(status)
    const watch = watchProgress({
      comet: configuration.comet,
      log: log.of('consensus'),
      height: () => application.height,
      onStatus,
    })
    teardown.add('the progress watch', () => watch.stop())
    return { ended, height: () => application.height, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * `chain start`: runs application, CometBFT, gateway and daemon as processes of their own, each started again when it dies.
 * Application and CometBFT are a pair: when the first dies the second ends too, and both begin anew. It loads nothing of
 * the chain and reads no settings, so that little can go wrong here: what is to be run the application says.
 */
import { errorText } from '../../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import { FOR_PEOPLE } from '../runtime/log-format.ts'
import { LARGE_SEMI_SPACE, SMALL_SEMI_SPACE } from '../runtime/young-objects.ts'
import type { ChildExit } from './child.ts'
import { heapLimitFlags } from './heap-limit.ts'
import { APPLICATION_POLICY, describeExit, GATEWAY_POLICY, keepRunning, type Supervised } from './keep-running.ts'
import { APPLICATION_PULSE, GATEWAY_PULSE, watchPulse } from './life-signs.ts'
import {
  type CometbftPlan,
  FINAL_STATUS,
  type FromApplication,
  type LoggingPlan,
  type ToApplication,
} from './messages.ts'
import { runCometbft } from './run-cometbft.ts'
import { untilSignal } from './signals.ts'

export type PartName = 'application' | 'cometbft' | 'gateway' | 'bridge daemon'

export interface SuperviseOptions {
  /** The command of the application; `application` when left out. */
  readonly command?: 'application' | 'devnet-application'
  /** Arguments of `chain start`. */
  readonly args: readonly string[]
  /** The program that was run, which knows that command; the one of this process when left out. */
  readonly script?: string
  readonly log: NodeLog
  onLine(part: PartName, line: string, stream: 'stdout' | 'stderr'): void
  /** Whether people read the log: children, whose output is a pipe, write it plain then unless a setting says otherwise. */
  readonly isForPeople?: boolean
  /** Is told how to write the log, at every start of the application. */
  onLogging?(plan: LoggingPlan): void
  /** Told where the log of a devnet is, at every start of its application. */
  onLogFile?(file: string): void
}

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning']
/** Arrays outside V8's heap count as if they were in it: by themselves each 64 MB of them have all objects looked through. */
const APPLICATION_FLAGS = [...NODE_FLAGS, LARGE_SEMI_SPACE, '--external-memory-accounted-in-global-limit']
/**
 * Variables of glibc, each unless the operator says another one: what a socket is read into (64 KiB), and every larger
 * array, is a mapping of its own, which is given back with it. By itself glibc takes larger and larger arrays from
 * between the small objects, and a gateway that has sent or received much keeps that as holes: 650 MB after 400 answers
 * of 1 MB that nobody read.
 */
const GATEWAY_MEMORY = {
  MALLOC_MMAP_THRESHOLD_: process.env['MALLOC_MMAP_THRESHOLD_'] ?? '65536',
  MALLOC_TRIM_THRESHOLD_: process.env['MALLOC_TRIM_THRESHOLD_'] ?? '65536',
}
/** 45 MB of it are Node's own; what an endpoint answers is bounded (daemons/bridge/chain-reader.ts). */
const DAEMON_FLAGS = [...NODE_FLAGS, '--max-semi-space-size=1', '--max-old-space-size=96', '--optimize-for-size']
const daemonScript = new URL('../../../daemons/bridge/main.ts', import.meta.url).pathname
const chainScript = new URL('../../chain.ts', import.meta.url).pathname

/** CometBFT may hang when its application is gone; nothing that it would still write is needed. */
const ORPHAN_GRACE_MS = 2_000
/** The application closes its database, and answers what is on its way. */
const APPLICATION_GRACE_MS = 20_000

const readersOf = ({ isForPeople }: SuperviseOptions): Record<string, string> =>
  isForPeople === true ? { [FOR_PEOPLE]: '1' } : {}

class NodeSupervisor {
  readonly #options: SuperviseOptions
  readonly #application: Supervised
  readonly #ended = Promise.withResolvers<number>()
  #cometbft: Supervised | undefined
  #cometbftPlan: CometbftPlan | undefined
  #gateway: Supervised | undefined
  #daemon: Supervised | undefined
  #isPlanned = false
  #isStopping = false
  /** How the application ended, where it did so before it was told to. */
  #ownEnd: ChildExit | undefined

  constructor(options: SuperviseOptions) {
    this.#options = options
    const { args, command = 'application', log, script = process.argv[1] ?? chainScript } = options
    const before = [...APPLICATION_FLAGS, ...heapLimitFlags(), script, command]
    this.#application = keepRunning(
      {
        name: 'application',
        command: process.execPath,
        args: [...before, ...args],
        restartArgs: [...before, '--restarted', ...args],
        environment: readersOf(options),
        onLine: (line, stream) => options.onLine('application', line, stream),
        onMessage: (message) => this.#hear(message as FromApplication),
        watchLife: watchPulse(APPLICATION_PULSE),
        onEnd: (exit) => this.#judgeEnd(exit),
      },
      APPLICATION_POLICY,
      log,
      (error) => void this.#fail(error),
    )
  }

  /** The exit status of the node. */
  get ended(): Promise<number> {
    return this.#ended.promise
  }

  /** Everything in the reverse order of its start. */
  async stop(reason: string): Promise<void> {
    if (this.#isStopping) return
    this.#options.log.info('stopping', { reason })
    this.#end(await this.#stopAll())
  }

  #hear(message: FromApplication): void {
    switch (message.type) {
      case 'planned':
        this.#isPlanned = true
        this.#options.onLogging?.(message.logging)
        this.#cometbftPlan = message.cometbft
        if (message.gatewayArguments !== undefined) this.#gateway ??= this.#startGateway(message.gatewayArguments)
        if (message.bridgeSocket !== undefined) this.#daemon ??= this.#startDaemon(message.bridgeSocket)
        break
      case 'listening':
        this.#startCometbft(message.proxyApp)
        break
      case 'logging':
        this.#options.onLogFile?.(message.file)
        break
      case 'stopping':
        if (!this.#isStopping) void this.#stopAll().then((exit) => this.#end(exit))
        break
      case 'pulse':
        break
    }
  }

  #startGateway(args: readonly string[]): Supervised {
    const { log, onLine } = this.#options
    return keepRunning(
      {
        name: 'gateway',
        command: process.execPath,
        args: [...NODE_FLAGS, SMALL_SEMI_SPACE, chainScript, 'gateway', ...args],
        environment: { ...GATEWAY_MEMORY, ...readersOf(this.#options) },
        onLine: (line, stream) => onLine('gateway', line, stream),
        onMessage: () => undefined,
        watchLife: watchPulse(GATEWAY_PULSE),
      },
      GATEWAY_POLICY,
      log,
      (error) => void this.#fail(error),
    )
  }

  #startDaemon(path: string): Supervised {
    const { log, onLine } = this.#options
    return keepRunning(
      {
        name: 'bridge daemon',
        command: process.execPath,
        args: [...DAEMON_FLAGS, daemonScript, path],
        environment: GATEWAY_MEMORY,
        hasSettings: false,
        onLine: (line, stream) => onLine('bridge daemon', line, stream),
        onMessage: () => undefined,
        watchLife: watchPulse(GATEWAY_PULSE),
      },
      // It holds no state either.
      GATEWAY_POLICY,
      log,
      (error) => void this.#fail(error),
    )
  }

  #startCometbft(proxyApp: string): void {
    if (this.#cometbftPlan === undefined || this.#isStopping) return
    const { log, onLine } = this.#options
    this.#cometbft = runCometbft({
      ...this.#cometbftPlan,
      proxyApp,
      log,
      onLine: (line) => onLine('cometbft', line, 'stdout'),
      onGivenUp: (error) => void this.#fail(error),
    })
  }

  async #stopAll(): Promise<ChildExit | undefined> {
    this.#isStopping = true
    await this.#daemon?.stop()
    await this.#gateway?.stop()
    await this.#cometbft?.stop()
    const stop: ToApplication = { type: 'stop' }
    this.#application.send(stop)
    return (await this.#application.stop(APPLICATION_GRACE_MS)) ?? this.#ownEnd
  }

  /** False when that was the last end. */
  async #judgeEnd(exit: ChildExit): Promise<boolean> {
    if (this.#isStopping) this.#ownEnd = exit
    // Before it had read its settings it has refused something, and said so; afterwards there is a status for that.
    const isFinal = exit.code === 0 || exit.code === FINAL_STATUS || (!this.#isPlanned && exit.signal === undefined)
    await this.#cometbft?.stop(isFinal ? undefined : ORPHAN_GRACE_MS)
    this.#cometbft = undefined
    if (!isFinal) return !this.#isStopping
    this.#isStopping = true
    await this.#daemon?.stop()
    await this.#gateway?.stop()
    this.#end(exit)
    return false
  }

  /** Called when a part died too often. */
  async #fail(error: Error): Promise<void> {
    if (this.#isStopping) return
    this.#options.log.info('stopping', { reason: errorText(error).split('\n')[0] })
    await this.#stopAll()
    process.stderr.write(`Error: ${errorText(error)}\n`)
    this.#ended.resolve(1)
  }

  #end(exit: ChildExit | undefined): void {
    if (exit === undefined) return this.#ended.resolve(0)
    if (exit.signal !== undefined && exit.signal !== 'SIGTERM') {
      this.#options.log.error(`application ${describeExit(exit)} while it stopped`)
    }
    const status = exit.code ?? (exit.signal === 'SIGTERM' ? 0 : 1)
    this.#ended.resolve(status === FINAL_STATUS ? 1 : status)
  }
}

/** Settles with the exit status of the node once all of it has ended. */
export const superviseNode = async (options: SuperviseOptions): Promise<number> => {
  const supervisor = new NodeSupervisor(options)
  const signal = untilSignal()
  void signal.received.then((name) => supervisor.stop(name))
  try {
    return await supervisor.ended
  } finally {
    signal.dispose()
  }
}

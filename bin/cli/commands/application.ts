/** The application of a node, as `chain start` runs it: until it is told to stop, or until it fails for good. */
import { InvariantError } from '../../../core/errors.ts'
import type { BridgeOptions } from '../../node/bridge/options.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError, errorText } from '../../errors.ts'
import { readCometToml } from '../../node/config/comet-toml.ts'
import { requireSigningFiles } from '../../node/config/signing-files.ts'
import { loadNode, type NodeConfiguration } from '../../node/load-node.ts'
import type { NodeFlags } from '../../node/node-flags.ts'
import { type AbciTransport, runApplication } from '../../node/run-application.ts'
import { logFormatOf } from '../../node/runtime/log-format.ts'
import { createLog } from '../../node/runtime/log.ts'
import { connectSupervisor, tellSupervisor } from '../../node/supervise/connect-supervisor.ts'
import { untilSignal } from '../../node/supervise/signals.ts'

export interface ApplicationCommandOptions {
  readonly home: Home
  readonly flags: NodeFlags
  /** It has run before, and died. */
  readonly isRestarted: boolean
  readonly externalCometbft: boolean
  readonly externalGateway: boolean
  readonly abciTransport: AbciTransport
  readonly abciAddress?: string
  /** The binary, which goes before COMETBFT_BINARY and the PATH. */
  readonly cometbftBinary?: string
  readonly queriesAddress?: string
  readonly queriesSecretFile?: string
  readonly callLogFile?: string
  /** Flags that the gateway must see too. */
  readonly gatewayArguments: readonly string[]
  /** What the flags say of the bridge; left out where nobody would expect one. */
  readonly bridge?: BridgeOptions
  onStarted?(height: number): void
}

/** A supervisor that is told that this process wants to end stops the others within this time. */
const MOST_WAIT_MS = 15_000

const NO_BRIDGE =
  'no bridge daemon runs: this node follows the chain and attests no deposits; --bridge-daemon-eth-rpc-endpoint starts it'

/** CometBFT keeps the genesis of its first start for good: a home that began without validators could not be mended. */
const requireValidators = ({ home, genesis }: NodeConfiguration): void => {
  if (genesis.validatorCount > 0) return
  throw cliError(
    'genesis',
    `${home.genesis} has no validators: run "chain genesis add-validator", or "chain genesis fetch" for that of a network`,
  )
}

/** Catches what is thrown outside of every call: a broken invariant ends the node as any does, all else is a crash. */
const untilUncaught = (): Promise<Error> =>
  new Promise((resolve) => {
    process.on('uncaughtException', (error: unknown) => {
      if (error instanceof InvariantError) return resolve(error)
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      process.exit(1)
    })
  })

/** Resolves after an orderly stop. Throws a CodedError when the node cannot start or cannot go on. */
export const applicationCommand = async (options: ApplicationCommandOptions): Promise<void> => {
  const log = createLog()
  const node = log.of('node')
  const supervisor = connectSupervisor()
  const uncaught = untilUncaught()
  const signal = untilSignal()
  try {
    const configuration = loadNode(options.home, options.flags)
    const { settings } = configuration
    log.configure({ levels: settings['log-level'], format: logFormatOf(settings['log-format']) })
    requireValidators(configuration)
    if (!options.isRestarted) {
      requireSigningFiles(options.home, readCometToml(options.home.configToml))
      for (const warning of configuration.warnings) node.warn(warning)
      if (options.bridge?.endpoints.length === 0) node.warn(NO_BRIDGE)
    }
    const application = await runApplication({
      ...options,
      configuration,
      log,
      tell: tellSupervisor,
    })
    const { chainId, evmChainId } = configuration.genesis
    const height = application.height()
    node.info('started', { chainId, evmChainId, height, home: options.home.root })
    options.onStarted?.(height)
    const reason = await Promise.race([application.ended, uncaught, signal.received, supervisor.stopped])
    if (reason !== undefined) {
      node.info('stopping', { reason: reason instanceof Error ? errorText(reason).split('\n')[0] : reason })
      tellSupervisor({ type: 'stopping' })
      await supervisor.stoppedWithin(MOST_WAIT_MS)
    }
    await application.stop()
    node.info('stopped', { height: application.height() })
    if (reason instanceof Error) throw reason
  } finally {
    signal.dispose()
    supervisor.close()
  }
}

/** `chain start`: runs until it is told to stop, or until a part of it fails for good. */
import type { Home } from '../config/home.ts'
import { cliError, errorText } from '../errors.ts'
import { loadNode, type NodeConfiguration, type NodeFlags } from '../node/load-node.ts'
import { type AbciTransport, type NodeOptions, runNode } from '../node/run-node.ts'
import { createLog, type NodeLog } from '../runtime/log.ts'
import { untilSignal } from '../supervise/signals.ts'

export interface StartOptions {
  readonly home: Home
  readonly flags: NodeFlags
  readonly externalCometbft: boolean
  readonly externalGateway: boolean
  /** `socket` when left out. */
  readonly abciTransport?: AbciTransport
  readonly abciAddress?: string
  /** Over COMETBFT_BINARY and the PATH. */
  readonly cometbftBinary?: string
  readonly queriesAddress?: string
  readonly callLogFile?: string
  /** Flags that the gateway child must see too. */
  readonly gatewayArguments: readonly string[]
  /** Names of flags that were given and have no effect in this version: they are warned of. */
  readonly inertFlags?: readonly string[]
  readonly log?: NodeLog
  readonly onChildLine?: (name: string, line: string) => void
  readonly onHeight?: (height: number) => void
  /** Called once everything runs. */
  readonly onStarted?: (height: number) => void
}

const printLine = (_name: string, line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** CometBFT keeps the genesis of its first start for good: a home that began without validators could not be mended. */
const requireValidators = ({ home, genesis }: NodeConfiguration): void => {
  if (genesis.validatorCount > 0) return
  throw cliError(
    'genesis',
    `${home.genesis} has no validators: run "chain genesis add-validator", or "chain genesis fetch" for that of a network`,
  )
}

/** Resolves after an orderly stop. Throws a CodedError when the node cannot start or cannot go on. */
export const startCommand = async (options: StartOptions): Promise<void> => {
  const log = options.log ?? createLog()
  const configuration = loadNode(options.home, options.flags)
  requireValidators(configuration)
  for (const warning of configuration.warnings) log.warn(warning)
  for (const name of options.inertFlags ?? []) log.warn(`--${name} has no effect in this version: no bridge runs yet`)
  const signal = untilSignal()
  const nodeOptions: NodeOptions = {
    configuration,
    log,
    externalCometbft: options.externalCometbft,
    externalGateway: options.externalGateway,
    abciTransport: options.abciTransport ?? 'socket',
    ...(options.abciAddress === undefined ? {} : { abciAddress: options.abciAddress }),
    ...(options.cometbftBinary === undefined ? {} : { cometbftBinary: options.cometbftBinary }),
    ...(options.queriesAddress === undefined ? {} : { queriesAddress: options.queriesAddress }),
    ...(options.callLogFile === undefined ? {} : { callLogFile: options.callLogFile }),
    gatewayArguments: options.gatewayArguments,
    onChildLine: options.onChildLine ?? printLine,
    ...(options.onHeight === undefined ? {} : { onHeight: options.onHeight }),
  }
  try {
    const node = await runNode(nodeOptions)
    const { chainId, evmChainId } = configuration.genesis
    log.info('started', { chainId, evmChainId, height: node.height(), home: options.home.root })
    options.onStarted?.(node.height())
    const reason = await Promise.race([node.ended, signal.received])
    log.info('stopping', { reason: reason instanceof Error ? errorText(reason).split('\n')[0] : reason })
    await node.stop()
    log.info('stopped', { height: node.height() })
    if (reason instanceof Error) throw reason
  } finally {
    signal.dispose()
  }
}

/** `chain start`: the node. */
import { type Command, Option } from 'commander'
import { reportError } from '../../report-error.ts'
import { FINAL_STATUS } from '../../node/supervise/messages.ts'
import { type Flags, homeOf, homeOption, nodeFlags, queriesSecretOption, textOf, withSettings } from './flags.ts'

const ABCI_TRANSPORTS = ['socket', 'grpc'] as const

/** What is refused, or can be trusted no longer, is not tried again. */
export const orEndForGood = async (run: () => Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    reportError(error)
    process.exitCode = FINAL_STATUS
  }
}

const addStartFlags = (command: Command): Command =>
  withSettings(
    command
      .addOption(homeOption())
      .option('--external-cometbft', 'CometBFT is run elsewhere and connects to --abci-address')
      .option('--cometbft <path>', 'binary of CometBFT, over COMETBFT_BINARY and the PATH')
      .option('--external-gateway', 'gateways are run elsewhere and connect to --queries')
      .addOption(new Option('--abci <transport>', 'how CometBFT connects').choices(ABCI_TRANSPORTS).default('socket'))
      .option('--abci-address <address>', 'where CometBFT connects: unix:///path or tcp://host:port')
      .option('--queries <address>', 'where gateways connect: unix:///path or tcp://host:port')
      .addOption(queriesSecretOption())
      .option('--abci-call-log <file>', 'append every call of CometBFT to a file, one JSON object a line')
      .addOption(
        new Option(
          '--bridge-daemon-eth-rpc-endpoint <urls>',
          'JSON-RPC of the chain that the bridge watches; several, with commas between, are a quorum',
        ).env('CHAIN_BRIDGE_DAEMON_ETH_RPC_ENDPOINT'),
      )
      .addOption(
        new Option(
          '--max-daemon-unhealthy-seconds <seconds>',
          'the node halts when a daemon is unhealthy for longer; 4294967295 never (default 300)',
        ).env('CHAIN_MAX_DAEMON_UNHEALTHY_SECONDS'),
      ),
  )

const runApplication = async (flags: Flags): Promise<void> => {
  const [{ applicationCommand }, { settingArguments }, { readBridgeOptions }] = await Promise.all([
    import('./application.ts'),
    import('../../node/node-flags.ts'),
    import('../../node/bridge/options.ts'),
  ])
  const parsed = nodeFlags(flags)
  const abciAddress = textOf(flags, 'abciAddress')
  const cometbftBinary = textOf(flags, 'cometbft')
  const queriesAddress = textOf(flags, 'queries')
  const queriesSecretFile = textOf(flags, 'queriesSecretFile')
  const callLogFile = textOf(flags, 'abciCallLog')
  await applicationCommand({
    home: homeOf(flags),
    flags: parsed,
    isRestarted: flags['restarted'] === true,
    externalCometbft: flags['externalCometbft'] === true,
    externalGateway: flags['externalGateway'] === true,
    gatewayArguments: settingArguments(parsed),
    abciTransport: flags['abci'] === 'grpc' ? 'grpc' : 'socket',
    ...(abciAddress === undefined ? {} : { abciAddress }),
    ...(cometbftBinary === undefined ? {} : { cometbftBinary }),
    ...(queriesAddress === undefined ? {} : { queriesAddress }),
    ...(queriesSecretFile === undefined ? {} : { queriesSecretFile }),
    ...(callLogFile === undefined ? {} : { callLogFile }),
    bridge: readBridgeOptions(textOf(flags, 'bridgeDaemonEthRpcEndpoint'), textOf(flags, 'maxDaemonUnhealthySeconds')),
  })
}

/** bin/chain.ts runs `start` before this program is loaded: here are its words, and its flags for the application. */
export const registerStart = (program: Command): void => {
  const description = 'run the node: application, CometBFT and gateway'
  addStartFlags(program.command('start').description(description)).action(async () => {
    const { startCommand } = await import('./start.ts')
    await startCommand(process.argv.slice(process.argv.indexOf('start') + 1))
  })
  const application = program
    .command('application', { hidden: true })
    .description(description)
    .configureHelp({ commandUsage: () => 'chain start [options]' })
    .addOption(new Option('--restarted', 'it has run before, and died').hideHelp())
  addStartFlags(application).action(async (flags: Flags) => await orEndForGood(() => runApplication(flags)))
}

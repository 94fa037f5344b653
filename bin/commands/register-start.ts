/** `chain start`: the node. */
import { type Command, Option } from 'commander'
import { attributeOf, type Flags, homeOf, homeOption, nodeFlags, textOf, withSettings } from './flags.ts'

const ABCI_TRANSPORTS = ['socket', 'grpc'] as const

/** Of the interface: accepted, though nothing in this version acts on them. */
const INERT_START_FLAGS = ['bridge-daemon-eth-rpc-endpoint', 'max-daemon-unhealthy-seconds'] as const

export const registerStart = (program: Command): void => {
  const start = program
    .command('start')
    .description('run the node: application, CometBFT and gateway')
    .addOption(homeOption())
    .option('--external-cometbft', 'CometBFT is run elsewhere and connects to --abci-address')
    .option('--cometbft <path>', 'binary of CometBFT, over COMETBFT_BINARY and the PATH')
    .option('--external-gateway', 'gateways are run elsewhere and connect to --queries')
    .addOption(new Option('--abci <transport>', 'how CometBFT connects').choices(ABCI_TRANSPORTS).default('socket'))
    .option('--abci-address <address>', 'where CometBFT connects: unix:///path or tcp://host:port')
    .option('--queries <address>', 'where gateways connect: unix:///path or tcp://host:port')
    .option('--abci-call-log <file>', 'append every call of CometBFT to a file, one JSON object a line')
    .option(
      '--bridge-daemon-eth-rpc-endpoint <url>',
      'RPC of the chain that the bridge watches (no effect in this version)',
    )
    .option(
      '--max-daemon-unhealthy-seconds <seconds>',
      'how long a daemon may be unhealthy (no effect in this version)',
    )
  withSettings(start).action(async (flags: Flags) => {
    const [{ startCommand }, { settingArguments }] = await Promise.all([
      import('./start.ts'),
      import('../node/load-node.ts'),
    ])
    const parsed = nodeFlags(flags)
    const abciAddress = textOf(flags, 'abciAddress')
    const cometbftBinary = textOf(flags, 'cometbft')
    const queriesAddress = textOf(flags, 'queries')
    const callLogFile = textOf(flags, 'abciCallLog')
    await startCommand({
      home: homeOf(flags),
      flags: parsed,
      externalCometbft: flags['externalCometbft'] === true,
      externalGateway: flags['externalGateway'] === true,
      gatewayArguments: settingArguments(parsed),
      abciTransport: flags['abci'] === 'grpc' ? 'grpc' : 'socket',
      ...(abciAddress === undefined ? {} : { abciAddress }),
      ...(cometbftBinary === undefined ? {} : { cometbftBinary }),
      ...(queriesAddress === undefined ? {} : { queriesAddress }),
      ...(callLogFile === undefined ? {} : { callLogFile }),
      inertFlags: INERT_START_FLAGS.filter((name) => textOf(flags, attributeOf(name)) !== undefined),
    })
  })
}

/** The command line. Each command is loaded when it is asked for, so that none waits for the others' code. */
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { CodedError } from '../core/errors.ts'
import { registerDebug } from './commands/debug.ts'
import { registerGenesis } from './commands/register-genesis.ts'
import { registerTestnet } from './commands/register-testnet.ts'
import { registerKeys } from './commands/keys.ts'
import { registerQuery } from './commands/query.ts'
import { registerTx } from './commands/tx.ts'
import { DEFAULT_HOME, type Home, openHome } from './config/home.ts'
import { SETTING_KEYS, settingOf } from './config/settings.ts'
import { CLI_CODES, errorText } from './errors.ts'
import type { NodeFlags } from './node/load-node.ts'
import { VERSION } from './version.ts'

type Flags = Readonly<Record<string, unknown>>

const ABCI_TRANSPORTS = ['socket', 'grpc'] as const
const ENGINES = ['interpreter', 'ethereumjs'] as const

const parseEvmChainId = (text: string): bigint => {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) throw new InvalidArgumentError('must be a positive integer')
  return BigInt(text)
}

const homeOption = (): Option =>
  new Option('--home <dir>', 'home of the node').env('CHAIN_HOME').default(DEFAULT_HOME, '~/.nat-chain')

const textOf = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

const homeOf = (flags: Flags): Home => openHome(textOf(flags, 'home') ?? DEFAULT_HOME)

/** Commander's name of a flag: words after dashes in capitals. */
const attributeOf = (key: string): string => key.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Adds a flag for every setting of app.toml, and the addresses of CometBFT. */
const withSettings = (command: Command): Command => {
  for (const key of SETTING_KEYS) {
    const { comment, kind } = settingOf(key)
    command.addOption(new Option(`--${key} <value>`, `${comment} (${kind.allowed})`))
  }
  return command
    .addOption(
      new Option('--rpc.laddr <address>', 'where the consensus RPC listens, over config.toml').env('CHAIN_RPC_LADDR'),
    )
    .addOption(
      new Option('--p2p.laddr <address>', 'where peer-to-peer listens, over config.toml').env('CHAIN_P2P_LADDR'),
    )
}

const nodeFlags = (flags: Flags): NodeFlags => {
  const settings: Record<string, string> = {}
  for (const key of SETTING_KEYS) {
    const value = textOf(flags, attributeOf(key))
    if (value !== undefined) settings[key] = value
  }
  const cometRpc = textOf(flags, 'rpc.laddr')
  const cometP2p = textOf(flags, 'p2p.laddr')
  return {
    settings,
    ...(cometRpc === undefined ? {} : { cometRpc }),
    ...(cometP2p === undefined ? {} : { cometP2p }),
  }
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const addInit = (program: Command): void => {
  program
    .command('init [moniker]')
    .description('make the home of a node: keys, configuration, an empty genesis file')
    .requiredOption('--chain-id <id>', 'native chain id: localnat-1, nat-2517-1, nat-2518-1 or your own')
    .option('--evm-chain-id <number>', 'EVM chain id of a chain of your own', parseEvmChainId)
    .option('--overwrite', 'replace configuration and genesis; keys and data stay')
    .addOption(homeOption())
    .action(async (moniker: string | undefined, flags: Flags) => {
      const { initHome } = await import('./commands/init.ts')
      const evmChainId = flags['evmChainId']
      const lines = await initHome({
        home: homeOf(flags),
        chainId: String(flags['chainId']),
        overwrite: flags['overwrite'] === true,
        ...(moniker === undefined ? {} : { moniker }),
        ...(typeof evmChainId === 'bigint' ? { evmChainId } : {}),
      })
      for (const line of lines) say(line)
    })
}

const addStart = (program: Command): void => {
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
    .option('--bridge-daemon-eth-rpc-endpoint <url>', 'RPC of the chain that the bridge watches')
    .option('--max-daemon-unhealthy-seconds <seconds>', 'how long a daemon may be unhealthy')
  withSettings(start).action(async (flags: Flags) => {
    const [{ startCommand }, { settingArguments }] = await Promise.all([
      import('./commands/start.ts'),
      import('./node/load-node.ts'),
    ])
    const parsed = nodeFlags(flags)
    const abciAddress = textOf(flags, 'abciAddress')
    const cometbftBinary = textOf(flags, 'cometbft')
    const queriesAddress = textOf(flags, 'queries')
    const callLogFile = textOf(flags, 'abciCallLog')
    const bridgeEndpoint = textOf(flags, 'bridgeDaemonEthRpcEndpoint')
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
      ...(bridgeEndpoint === undefined ? {} : { bridgeEndpoint }),
    })
  })
}

const addGateway = (program: Command): void => {
  const gateway = program
    .command('gateway')
    .description('run a gateway alone: JSON-RPC and REST for an application elsewhere')
    .option('--application <address>', 'the stream of an application: unix:///path or tcp://host:port')
    .addOption(homeOption())
  withSettings(gateway).action(async (flags: Flags) => {
    const { gatewayCommand } = await import('./commands/gateway.ts')
    const application = textOf(flags, 'application')
    const home = homeOf(flags)
    await gatewayCommand({ home, application: application ?? home.queriesSocket, flags: nodeFlags(flags) })
  })
}

const addDevnet = (program: Command): void => {
  const devnet = program
    .command('devnet')
    .description('run a local chain with ten funded accounts')
    .option('--reset', 'forget the chain that is there')
    .addOption(
      new Option('--home <dir>', 'home of the devnet')
        .env('DEVNET_HOME')
        .default(join(import.meta.dirname, '..', '.devnet'), '.devnet in the checkout'),
    )
  withSettings(devnet).action(async (flags: Flags) => {
    const { devnetCommand } = await import('./commands/devnet.ts')
    await devnetCommand({ home: homeOf(flags), flags: nodeFlags(flags), reset: flags['reset'] === true })
  })
}

const addStatus = (program: Command): void => {
  const status = program.command('status').description('health of a running node; exit status 0 when healthy')
  withSettings(status.addOption(homeOption())).action(async (flags: Flags) => {
    const { statusCommand } = await import('./commands/status.ts')
    const { healthy, ...rest } = await statusCommand(homeOf(flags), nodeFlags(flags))
    say(JSON.stringify({ healthy, ...rest }, null, 2))
    process.exitCode = healthy ? 0 : 1
  })
  program
    .command('version')
    .description('version of this software')
    .option('--long', 'with Node and CometBFT')
    .action(async (flags: Flags) => {
      const { describeVersion } = await import('./commands/version.ts')
      say(await describeVersion(flags['long'] === true))
    })
}

const addVerifyProof = (program: Command): void => {
  program
    .command('verify-proof [file]')
    .description(
      'check a reply of abci_query or eth_getProof, from a file or standard input; exit status 0 when proven',
    )
    .option('--app-hash <hex>', 'for abci_query: app_hash of the consensus header of the next height')
    .option('--module <name>', 'for abci_query: the module whose store was asked')
    .option('--state-root <hex>', 'for eth_getProof: stateRoot of the block')
    .action(async (file: string | undefined, flags: Flags) => {
      const { verifyProofCommand } = await import('./commands/verify-proof.ts')
      const [appHash, module, stateRoot] = ['appHash', 'module', 'stateRoot'].map((name) => textOf(flags, name))
      for (const line of verifyProofCommand({ file, appHash, module, stateRoot })) say(line)
    })
}

const parseHeight = (text: string): number => {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw new InvalidArgumentError('must be a height')
  return Number(text)
}

const addExport = (program: Command): void => {
  program
    .command('export')
    .description('write the state of a height of a stopped node as the genesis file of a chain that goes on from it')
    .option('--height <number>', 'a kept height; the head when left out', parseHeight)
    .option('--output <file>', 'where to; <chain id>-<height>.json when left out')
    .option('--chain-id <id>', 'of the new chain; that of the old one when left out')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { exportGenesis } = await import('./commands/export.ts')
      const { height } = flags
      const output = textOf(flags, 'output')
      const chainId = textOf(flags, 'chainId')
      const exported = await exportGenesis({
        home: homeOf(flags),
        ...(typeof height === 'number' ? { height } : {}),
        ...(output === undefined ? {} : { output }),
        ...(chainId === undefined ? {} : { chainId }),
      })
      say(`${exported.path}: state ${exported.stateRoot} of height ${exported.height}, ${exported.bytes} bytes`)
    })
}

const addReplay = (program: Command): void => {
  program
    .command('replay')
    .description(
      'execute blocks of a stopped node once more and compare the results; exit status 0 when they are the same',
    )
    .option('--from <number>', 'first block; the first that can be replayed when left out', parseHeight)
    .option('--to <number>', 'last block; the head when left out', parseHeight)
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { replayCommand } = await import('./commands/replay.ts')
      const { from, to } = flags
      const difference = await replayCommand({
        home: homeOf(flags),
        say,
        ...(typeof from === 'number' ? { from } : {}),
        ...(typeof to === 'number' ? { to } : {}),
      })
      process.exitCode = difference === undefined ? 0 : 1
    })
}

const addInspect = (program: Command): void => {
  program
    .command('inspect')
    .description('what the database of a stopped node holds: head, kept heights, sizes')
    .option('--json', 'as JSON')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { describeInspection, inspectHome } = await import('./commands/inspect.ts')
      const inspection = await inspectHome(homeOf(flags))
      if (flags['json'] === true) say(JSON.stringify(inspection, null, 2))
      else for (const line of describeInspection(inspection)) say(line)
    })
  program
    .command('verify')
    .description('check state and blocks of a stopped node against their headers; exit status 0 when they are right')
    .option('--from <number>', 'first block; the lowest that is here when left out', parseHeight)
    .option('--to <number>', 'last block; the head when left out', parseHeight)
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { verifyCommand } = await import('./commands/verify.ts')
      const { from, to } = flags
      await verifyCommand({
        home: homeOf(flags),
        say,
        ...(typeof from === 'number' ? { from } : {}),
        ...(typeof to === 'number' ? { to } : {}),
      })
    })
}

const addRollback = (program: Command): void => {
  program
    .command('rollback')
    .description('take a stopped node back to an earlier height: application and CometBFT')
    .option('--height <number>', 'one below the head when left out', parseHeight)
    .option('--hard', 'remove the blocks above that height, too: without it the last one is executed again')
    .option('--application-only', 'CometBFT has another home, and is rolled back there')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { rollbackCommand } = await import('./commands/rollback.ts')
      const { height } = flags
      await rollbackCommand({
        home: homeOf(flags),
        hard: flags['hard'] === true,
        applicationOnly: flags['applicationOnly'] === true,
        say,
        ...(typeof height === 'number' ? { height } : {}),
      })
    })
}

const addSnapshot = (program: Command): void => {
  const snapshot = program.command('snapshot').description('snapshots of the state, which other nodes start from')
  const load = () => import('./commands/snapshot.ts')
  snapshot
    .command('list')
    .description('those of this home, newest first')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { listCommand } = await load()
      for (const line of listCommand(homeOf(flags))) say(line)
    })
  snapshot
    .command('create')
    .description('make one of the last block of a stopped home')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { createCommand } = await load()
      await createCommand(homeOf(flags), say)
    })
  snapshot
    .command('export <file>')
    .description("write one file with a snapshot and CometBFT's data of a stopped home")
    .option('--height <number>', 'of a snapshot that is there; the last block when left out', parseHeight)
    .addOption(homeOption())
    .action(async (file: string, flags: Flags) => {
      const { exportCommand } = await load()
      const { height } = flags
      await exportCommand({ home: homeOf(flags), file, say, ...(typeof height === 'number' ? { height } : {}) })
    })
  snapshot
    .command('restore <file>')
    .description('make the data of a new home from such a file')
    .option('--block-hash <hash>', 'of the block of the snapshot, from somebody you trust: 0x and 64 digits')
    .addOption(homeOption())
    .action(async (file: string, flags: Flags) => {
      const { restoreCommand } = await load()
      const blockHash = textOf(flags, 'blockHash')
      await restoreCommand({ home: homeOf(flags), file, say, ...(blockHash === undefined ? {} : { blockHash }) })
    })
}

const addEvm = (program: Command): void => {
  program
    .command('evm')
    .description('tools of the EVM')
    .command('statetest [files...]')
    .description(
      "run Ethereum state tests with the output of geth's command of that name; names on stdin without files",
    )
    .option('--trace', 'write EIP-3155 lines to standard error')
    .addOption(
      new Option('--engine <name>', "the node's own, or the reference").choices(ENGINES).default('interpreter'),
    )
    .option('--trace.format <format>', 'accepted for goevmlab: json')
    .option('--trace.nomemory [flag]', 'accepted for goevmlab: memory is never written')
    .option('--trace.noreturndata [flag]', 'accepted for goevmlab: return data is never written')
    .action(async (files: readonly string[], flags: Flags) => {
      const { stateTestCommand } = await import('./commands/evm-statetest.ts')
      const io = {
        stdout: (text: string): void => void process.stdout.write(text),
        stderr: (text: string): void => void process.stderr.write(text),
      }
      process.exitCode = await stateTestCommand(
        files,
        { trace: flags['trace'] === true, engine: flags['engine'] === 'ethereumjs' ? 'ethereumjs' : 'interpreter' },
        io,
      )
    })
}

const createProgram = (): Command => {
  const program = new Command('chain').description('nat-chain: a node with an EVM under CometBFT').version(VERSION)
  for (const add of [
    addInit,
    registerGenesis,
    registerTestnet,
    addStart,
    addGateway,
    addDevnet,
    addStatus,
    addVerifyProof,
    addExport,
    addReplay,
    addInspect,
    addRollback,
    addSnapshot,
    addEvm,
    registerKeys,
    registerTx,
    registerQuery,
    registerDebug,
  ])
    add(program)
  return program
}

// Whoever read the output has gone, such as head or a log collector: the work goes on, for it may be half done, and a
// validator must not stop for it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

try {
  await createProgram().parseAsync()
} catch (error) {
  const isCoded = error instanceof CodedError
  // A fault of ours shows where it came from; a refusal says what to do, and the system's names the path and the reason.
  const isFault = error instanceof Error && !isCoded && !('syscall' in error)
  process.stderr.write(`Error: ${isFault ? (error.stack ?? error.message) : errorText(error)}\n`)
  process.exitCode = isCoded && error.codespace === 'cli' && error.code === CLI_CODES.usage ? 2 : 1
}

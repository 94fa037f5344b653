/** `chain devnet`: a chain for development. */
import { type Command, Option } from 'commander'
import { CHECKOUT_DEVNET } from '../devnet/running.ts'
import { type Flags, homeOf, nodeFlags, parseEvmChainId, withSettings } from './flags.ts'
import { orEndForGood } from './register-start.ts'

const addFlags = (command: Command): Command =>
  withSettings(
    command
      .description('run a local chain with ten funded accounts')
      .option('--reset', 'delete the existing chain and start a new one')
      .option('--quiet', 'no line for each transaction')
      .option('--evm-chain-id <number>', 'EVM chain id of a new chain; 2517 when left out', parseEvmChainId)
      .addOption(
        new Option('--home <dir>', 'home of the devnet')
          .env('DEVNET_HOME')
          .default(CHECKOUT_DEVNET, '.devnet in the checkout'),
      ),
  )

const runApplication = async (flags: Flags): Promise<void> => {
  const { devnetApplicationCommand } = await import('./devnet.ts')
  const evmChainId = flags['evmChainId']
  await devnetApplicationCommand({
    home: homeOf(flags),
    flags: nodeFlags(flags),
    reset: flags['reset'] === true,
    isRestarted: flags['restarted'] === true,
    isQuiet: flags['quiet'] === true,
    ...(typeof evmChainId === 'bigint' ? { evmChainId } : {}),
  })
}

/** Registers the words of the command here, and its flags for the application, as those of `start`. */
export const registerDevnet = (program: Command): void => {
  addFlags(program.command('devnet')).action(async () => {
    const { startDevnetCommand } = await import('./start-devnet.ts')
    await startDevnetCommand(process.argv.slice(process.argv.indexOf('devnet') + 1))
  })
  const application = program
    .command('devnet-application', { hidden: true })
    .configureHelp({ commandUsage: () => 'chain devnet [options]' })
    .addOption(new Option('--restarted', 'it has run before, and died').hideHelp())
  addFlags(application).action(async (flags: Flags) => await orEndForGood(() => runApplication(flags)))
}

/** `chain devnet`: a chain for development. */
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { type Flags, homeOf, nodeFlags, parseEvmChainId, withSettings } from './flags.ts'

export const registerDevnet = (program: Command): void => {
  const devnet = program
    .command('devnet')
    .description('run a local chain with ten funded accounts')
    .option('--reset', 'forget the chain that is there')
    .option('--evm-chain-id <number>', 'of a new chain: 2517 when left out', parseEvmChainId)
    .addOption(
      new Option('--home <dir>', 'home of the devnet')
        .env('DEVNET_HOME')
        .default(join(import.meta.dirname, '..', '..', '.devnet'), '.devnet in the checkout'),
    )
  withSettings(devnet).action(async (flags: Flags) => {
    const { devnetCommand } = await import('./devnet.ts')
    const evmChainId = flags['evmChainId']
    await devnetCommand({
      home: homeOf(flags),
      flags: nodeFlags(flags),
      reset: flags['reset'] === true,
      ...(typeof evmChainId === 'bigint' ? { evmChainId } : {}),
    })
  })
}

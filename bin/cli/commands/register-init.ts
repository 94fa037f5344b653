/** `chain init`: the home of a node. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseEvmChainId, peersOf, say, withPeers } from './flags.ts'

export const registerInit = (program: Command): void => {
  withPeers(program.command('init [moniker]'))
    .description('make the home of a node: keys, configuration, an empty genesis file')
    .requiredOption('--chain-id <id>', 'native chain id: localnat-1, nat-2517-1, nat-2518-1 or your own')
    .option('--evm-chain-id <number>', 'EVM chain id of a chain of your own', parseEvmChainId)
    .option('--overwrite', 'replace configuration and genesis; keys and data stay')
    .addOption(homeOption())
    .action(async (moniker: string | undefined, flags: Flags) => {
      const { initHome } = await import('./init.ts')
      const evmChainId = flags['evmChainId']
      const lines = await initHome({
        home: homeOf(flags),
        chainId: String(flags['chainId']),
        overwrite: flags['overwrite'] === true,
        peers: peersOf(flags),
        ...(moniker === undefined ? {} : { moniker }),
        ...(typeof evmChainId === 'bigint' ? { evmChainId } : {}),
      })
      for (const line of lines) say(line)
    })
}

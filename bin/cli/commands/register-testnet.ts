/** `chain testnet`: many nodes at once. */
import { type Command, InvalidArgumentError } from 'commander'
import { peersOf, withPeers } from './flags.ts'

const parseCount = (text: string): number => {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('must be a positive integer')
  return Number(text)
}

export const registerTestnet = (program: Command): void => {
  const testnet = program.command('testnet').description('make the homes of several nodes of one chain')
  withPeers(testnet.command('init-files'))
    .description('make the homes of several validators, each on an address of its own, ready to start')
    .option('--v <number>', 'number of validators', parseCount, 4)
    .option('--output-dir <folder>', 'where the homes node0, node1, ... are made', './testnet')
    .option('--chain-id <id>', 'native chain id', 'localnat-1')
    .option('--evm-chain-id <number>', 'EVM chain id of a chain of your own', parseCount)
    .option('--starting-ip-address <ip>', 'IPv4 address of the first node; the others get the next ones', '127.0.0.2')
    .option('--power <number>', 'voting power of each validator, which is its stake in NAT', parseCount, 10)
    .action(async (flags: Readonly<Record<string, unknown>>) => {
      const { initTestnetFiles } = await import('./testnet.ts')
      const evmChainId = flags['evmChainId']
      const text = await initTestnetFiles({
        validators: Number(flags['v']),
        directory: String(flags['outputDir']),
        chainId: String(flags['chainId']),
        startingAddress: String(flags['startingIpAddress']),
        power: Number(flags['power']),
        peers: peersOf(flags),
        ...(typeof evmChainId === 'number' ? { evmChainId: BigInt(evmChainId) } : {}),
      })
      process.stdout.write(`${text}\n`)
    })
}

/** `chain join`: a node of a network that is there. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, peersOf, say, textOf, withPeers } from './flags.ts'

const join = async (urls: readonly string[], flags: Flags): Promise<void> => {
  const { joinCommand } = await import('./join.ts')
  const home = homeOf(flags)
  const moniker = textOf(flags, 'moniker')
  await joinCommand({
    home,
    urls,
    stateSync: flags['stateSync'] === true,
    overwrite: flags['overwrite'] === true,
    peers: peersOf(flags),
    say,
    ...(moniker === undefined ? {} : { moniker }),
  })
  const start = ['--home', home.root]
  if (flags['start'] !== true) return say(`next: chain start ${start.join(' ')}`)
  const { startCommand } = await import('./start.ts')
  await startCommand(start)
}

export const registerJoin = (program: Command): void => {
  withPeers(program.command('join <url> [second-url]'))
    .description('make the home of a node that follows a network: <url> is the consensus RPC of a node of it')
    .option('--state-sync', 'begin with a snapshot; its hash is compared at both URLs')
    .option('--start', 'run the node at once')
    .option('--moniker <name>', 'name of the node; that of the machine when left out')
    .option('--overwrite', 'replace configuration and genesis; keys and data stay')
    .addOption(homeOption())
    .action(async (url: string, second: string | undefined, flags: Flags) => {
      await join(second === undefined ? [url] : [url, second], flags)
    })
}

/** `chain version`. */
import type { Command } from 'commander'
import { type Flags, say } from './flags.ts'

export const registerVersion = (program: Command): void => {
  program
    .command('version')
    .description('version of this software')
    .option('--long', 'also print the versions of Node and CometBFT')
    .action(async (flags: Flags) => {
      const { describeVersion } = await import('./version.ts')
      say(await describeVersion(flags['long'] === true))
    })
}

/** `chain inspect`: what the database holds. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, say, sayJson } from './flags.ts'

export const registerInspect = (program: Command): void => {
  program
    .command('inspect')
    .description('show what the database of a stopped node holds: head, kept heights, sizes')
    .option('--json', 'print JSON')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { describeInspection, inspectHome } = await import('./inspect.ts')
      const inspection = await inspectHome(homeOf(flags))
      if (flags['json'] === true) sayJson(inspection)
      else for (const line of describeInspection(inspection)) say(line)
    })
}

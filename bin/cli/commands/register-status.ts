/** `chain status`: health of a running node. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, nodeFlags, say, withSettings } from './flags.ts'

export const registerStatus = (program: Command): void => {
  const status = program.command('status').description('show the health of a running node; exit status 0 when healthy')
  withSettings(status.addOption(homeOption())).action(async (flags: Flags) => {
    const { statusCommand } = await import('./status.ts')
    const { healthy, ...rest } = await statusCommand(homeOf(flags), nodeFlags(flags))
    say(JSON.stringify({ healthy, ...rest }, null, 2))
    process.exitCode = healthy ? 0 : 1
  })
}

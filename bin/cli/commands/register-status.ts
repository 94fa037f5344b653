/** `chain status`: health of a running node. */
import type { Command } from 'commander'
import { openHome } from '../../node/config/home.ts'
import type { NodeFlags } from '../../node/node-flags.ts'
import { findDevnet } from '../devnet/running.ts'
import { type Flags, homeOf, homeOption, nodeFlags, sayJson, withSettings } from './flags.ts'

/** What is said on the command line comes first. */
export const overFlags = (below: NodeFlags, above: NodeFlags): NodeFlags => ({
  ...below,
  ...above,
  settings: { ...below.settings, ...above.settings },
})

export const registerStatus = (program: Command): void => {
  const status = program.command('status').description('show the health of a running node; exit status 0 when healthy')
  withSettings(status.addOption(homeOption())).action(async (flags: Flags) => {
    const { statusCommand } = await import('./status.ts')
    const devnet = findDevnet()
    const { healthy, ...rest } =
      devnet === undefined
        ? await statusCommand(homeOf(flags), nodeFlags(flags))
        : await statusCommand(openHome(devnet.home), overFlags(devnet.flags, nodeFlags(flags)))
    sayJson({ healthy, ...rest })
    process.exitCode = healthy ? 0 : 1
  })
}

/** `chain verify`: the database against its headers. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseHeight, say } from './flags.ts'

export const registerVerify = (program: Command): void => {
  program
    .command('verify')
    .description('check state and blocks of a stopped node against their headers; exit status 0 when they are right')
    .option('--from <number>', 'first block; the lowest that this home has when left out', parseHeight)
    .option('--to <number>', 'last block; the head when left out', parseHeight)
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { verifyCommand } = await import('./verify.ts')
      const { from, to } = flags
      await verifyCommand({
        home: homeOf(flags),
        say,
        ...(typeof from === 'number' ? { from } : {}),
        ...(typeof to === 'number' ? { to } : {}),
      })
    })
}

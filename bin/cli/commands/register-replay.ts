/** `chain replay`: blocks once more. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseHeight, say } from './flags.ts'

export const registerReplay = (program: Command): void => {
  program
    .command('replay')
    .description(
      'execute blocks of a stopped node once more and compare the results; exit status 0 when they are the same',
    )
    .option('--from <number>', 'first block; the first that can be replayed when left out', parseHeight)
    .option('--to <number>', 'last block; the head when left out', parseHeight)
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { replayCommand } = await import('./replay.ts')
      const { from, to } = flags
      const difference = await replayCommand({
        home: homeOf(flags),
        say,
        ...(typeof from === 'number' ? { from } : {}),
        ...(typeof to === 'number' ? { to } : {}),
      })
      process.exitCode = difference === undefined ? 0 : 1
    })
}

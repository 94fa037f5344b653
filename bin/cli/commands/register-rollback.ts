/** `chain rollback`: back to an earlier height. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseHeight, say } from './flags.ts'

export const registerRollback = (program: Command): void => {
  program
    .command('rollback')
    .description('take a stopped node back to an earlier height: application and CometBFT')
    .option('--height <number>', 'height to go back to; one below the head when left out', parseHeight)
    .option('--hard', 'remove the blocks above that height, too: without it the last one is executed again')
    .option('--application-only', 'CometBFT has another home, and is rolled back there')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { rollbackCommand } = await import('./rollback.ts')
      const { height } = flags
      await rollbackCommand({
        home: homeOf(flags),
        hard: flags['hard'] === true,
        applicationOnly: flags['applicationOnly'] === true,
        say,
        ...(typeof height === 'number' ? { height } : {}),
      })
    })
}

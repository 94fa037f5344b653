/** `chain snapshot`: make, carry and restore snapshots. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseHeight, say, textOf } from './flags.ts'

export const registerSnapshot = (program: Command): void => {
  const snapshot = program.command('snapshot').description('snapshots of the state, which other nodes start from')
  const load = () => import('./snapshot.ts')
  snapshot
    .command('list')
    .description('list the snapshots of this home, newest first')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { listCommand } = await load()
      for (const line of listCommand(homeOf(flags))) say(line)
    })
  snapshot
    .command('create')
    .description('make a snapshot of the last block of a stopped home')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { createCommand } = await load()
      await createCommand(homeOf(flags), say)
    })
  snapshot
    .command('export <file>')
    .description("write one file with a snapshot and CometBFT's data of a stopped home")
    .option('--height <number>', 'height of an existing snapshot; the last block when left out', parseHeight)
    .addOption(homeOption())
    .action(async (file: string, flags: Flags) => {
      const { exportCommand } = await load()
      const { height } = flags
      await exportCommand({ home: homeOf(flags), file, say, ...(typeof height === 'number' ? { height } : {}) })
    })
  snapshot
    .command('restore <file>')
    .description('restore the data of a new home from an exported file')
    .option('--block-hash <hash>', 'hash of the block of the snapshot, from somebody you trust: 0x and 64 digits')
    .addOption(homeOption())
    .action(async (file: string, flags: Flags) => {
      const { restoreCommand } = await load()
      const blockHash = textOf(flags, 'blockHash')
      await restoreCommand({ home: homeOf(flags), file, say, ...(blockHash === undefined ? {} : { blockHash }) })
    })
}

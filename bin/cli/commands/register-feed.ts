/** `chain feed`: committed blocks as lines of JSON. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseHeight, queriesSecretOption, textOf } from './flags.ts'

export const registerFeed = (program: Command): void => {
  program
    .command('feed')
    .description('print committed blocks of a running node, one line of JSON each, with all that came of them')
    .option(
      '--from <height>',
      'first block where the cursor has none; the oldest of the node when left out',
      parseHeight,
    )
    .option('--cursor <file>', 'remember in this file how far it came, and go on from there')
    .option('--follow', 'wait for further blocks at the head, until it is interrupted')
    .option('--application <address>', 'the stream of an application: unix:///path or tcp://host:port')
    .addOption(queriesSecretOption())
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { feedCommand } = await import('./feed.ts')
      const { readSecret } = await import('../../node/read-secret.ts')
      const { from } = flags
      const secret = readSecret(textOf(flags, 'queriesSecretFile'))
      const cursor = textOf(flags, 'cursor')
      await feedCommand({
        application: textOf(flags, 'application') ?? homeOf(flags).queriesSocket,
        isEndless: flags['follow'] === true,
        ...(secret === undefined ? {} : { secret }),
        ...(typeof from === 'number' ? { from } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      })
    })
}

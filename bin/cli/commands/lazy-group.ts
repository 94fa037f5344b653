/** A group of commands that is built when one of them is asked for: the others need not wait for its code. */
import type { Command } from 'commander'
import { throwOnMisuse } from './throw-on-misuse.ts'

export interface LazyGroup {
  readonly name: string
  readonly alias?: string
  readonly description: string
  /** The program of the group; its name is that of the whole way to it. */
  load(): Promise<Command>
}

export const registerLazyGroup = (program: Command, { name, alias, description, load }: LazyGroup): void => {
  const group = program
    .command(`${name} [arguments...]`)
    .description(description)
    // Its own program reads all that follows, --help included.
    .helpOption(false)
    .allowUnknownOption()
    .action(async () => {
      await throwOnMisuse(await load()).parseAsync(group.args, { from: 'user' })
    })
  if (alias !== undefined) group.alias(alias)
}

/** Wrong usage ends with status 2, as every refusal of the command line does: commander by itself would end with 1. */
import type { Command } from 'commander'

/** Commander throws a CommanderError once it has said what is wrong (or shown the help), here and in all below. */
export const throwOnMisuse = (command: Command): Command => {
  command.exitOverride()
  for (const child of command.commands) throwOnMisuse(child)
  return command
}

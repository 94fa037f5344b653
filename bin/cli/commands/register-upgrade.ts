/** `chain upgrade`: versions of the software that are prepared before the height at which they are needed. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, say } from './flags.ts'

const addPreparation = (upgrade: Command): void => {
  upgrade
    .command('add <name> <path>')
    .description('prepare a version: <name> is that of the plan, <path> a checkout after "make setup", or a program')
    .addOption(homeOption())
    .action(async (name: string, path: string, flags: Flags) => {
      const { addVersion } = await import('../upgrade/versions.ts')
      const version = addVersion(homeOf(flags), name, path)
      say(`"${version.name}" is ${version.path}: "chain upgrade run" switches to it at the height of the plan`)
    })
  upgrade
    .command('use <name>')
    .description('make a prepared version the current one, as after a snapshot of a later height')
    .addOption(homeOption())
    .action(async (name: string, flags: Flags) => {
      const { switchTo } = await import('../upgrade/versions.ts')
      say(`the current version is "${name}": ${switchTo(homeOf(flags), name).path}`)
    })
  upgrade
    .command('list')
    .description('list the versions that are prepared; * is the current one')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { listVersions } = await import('../upgrade/versions.ts')
      const lines = listVersions(homeOf(flags))
      for (const line of lines.length === 0 ? ['none is prepared: this checkout runs'] : lines) say(line)
    })
}

/** bin/chain.ts runs `upgrade run` before this program is loaded: here are its words. */
export const registerUpgrade = (program: Command): void => {
  const upgrade = program.command('upgrade').description('prepare versions for upgrades, and run the one that is due')
  addPreparation(upgrade)
  upgrade
    .command('run')
    .usage('[start] [options of "chain start"]')
    .description('run the node as "chain start" does, and switch to the version of a plan when its height comes')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      const { runUpgradesCommand } = await import('./run-upgrades.ts')
      await runUpgradesCommand(process.argv.slice(process.argv.indexOf('run') + 1))
    })
}

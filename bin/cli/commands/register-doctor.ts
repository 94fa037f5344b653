/** `chain doctor`: what is wrong with a node, and what to do. */
import type { Command } from 'commander'
import { openHome } from '../../node/config/home.ts'
import { findDevnet } from '../devnet/running.ts'
import { type Flags, homeOf, homeOption, nodeFlags, say, sayJson, withSettings } from './flags.ts'
import { overFlags } from './register-status.ts'

export const registerDoctor = (program: Command): void => {
  const doctor = program
    .command('doctor')
    .description('look at everything that a node needs, and say what to do; exit status 1 for a fault')
    .option('--rpc <urls>', 'consensus RPCs of other nodes, to compare clock, chain and height with')
    .option('--json', 'print the findings as JSON')
  withSettings(doctor.addOption(homeOption())).action(async (flags: Flags) => {
    const { describeFindings, examine } = await import('../doctor/doctor.ts')
    const rpcs = String(flags['rpc'] ?? '')
      .split(',')
      .map((url) => url.trim().replace(/\/+$/, ''))
      .filter((url) => url !== '')
    const devnet = findDevnet()
    const own = nodeFlags(flags)
    const findings = await examine(
      devnet === undefined
        ? { home: homeOf(flags), flags: own, rpcs }
        : { home: openHome(devnet.home), flags: overFlags(devnet.flags, own), rpcs },
    )
    if (flags['json'] === true) sayJson(findings)
    else for (const line of describeFindings(findings)) say(line)
    process.exitCode = findings.some(({ level }) => level === 'fault') ? 1 : 0
  })
}

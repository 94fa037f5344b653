/**
 * `chain upgrade run`: runs the node of the current version, and when that stops before an upgrade whose version is prepared,
 * switches and goes on. It loads nothing of the chain, so that it outlives all versions.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_HOME, type Home, openHome } from '../../node/config/home.ts'
import { readUpgradeInfo, upgradeInfoPath } from '../../node/upgrade-info.ts'
import { currentName, findVersion, switchTo } from './versions.ts'

const OWN_PROGRAM = join(import.meta.dirname, '..', '..', '..', 'chain')
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface RunOptions {
  /** The arguments of `chain start`, with or without that word. */
  readonly args: readonly string[]
  /** Run while no version is current. */
  readonly program?: string
  say(line: string): void
}

const homeOfArguments = (args: readonly string[]): Home => {
  const at = args.indexOf('--home')
  const given = at === -1 ? args.find((arg) => arg.startsWith('--home='))?.slice('--home='.length) : args[at + 1]
  return openHome(given ?? (process.env['CHAIN_HOME'] || DEFAULT_HOME))
}

interface Ended {
  readonly status: number
  /** Somebody wanted it to end. */
  readonly wasStopped: boolean
}

/** Signals are passed on: a service manager sends them to the first process alone. */
const runNode = (program: string, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve, reject) => {
    // The kernel stops the node when this process is killed: it stays through exec.
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', program, 'start', ...args], { stdio: 'inherit' })
    let wasStopped = false
    const pass = (signal: NodeJS.Signals): void => {
      wasStopped = true
      child.kill(signal)
    }
    for (const signal of SIGNALS) process.on(signal, pass)
    const forget = (): void => {
      for (const signal of SIGNALS) process.off(signal, pass)
    }
    child.once('error', (error) => {
      forget()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      forget()
      resolve({ status: code ?? (signal === 'SIGTERM' ? 0 : 1), wasStopped })
    })
  })

/** The next version; undefined where there is nothing to switch to. */
const nextVersion = (home: Home, say: (line: string) => void): string | undefined => {
  const info = readUpgradeInfo(home)
  if (info === undefined || info.name === currentName(home)) return undefined
  const version = findVersion(home, info.name)
  if (version === undefined) {
    say(
      `the upgrade "${info.name}" at height ${info.height} is not prepared: chain upgrade add "${info.name}" <checkout> --home ${home.root}, then start again`,
    )
    return undefined
  }
  say(`switching to the version "${info.name}" at height ${info.height}: ${version.path}`)
  return info.name
}

/** Settles with the exit status of the last version. Throws cli/1 where the current one has gone. */
export const runUpgrades = async ({ args, program = OWN_PROGRAM, say }: RunOptions): Promise<number> => {
  const own = args[0] === 'start' ? args.slice(1) : args
  const home = homeOfArguments(own)
  for (;;) {
    const name = currentName(home)
    const current = name === undefined ? program : switchTo(home, name).program
    // One of a past upgrade would have it run that version again. A node that meets a plan writes it anew.
    rmSync(upgradeInfoPath(home), { force: true })
    const { status, wasStopped } = await runNode(current, own)
    if (status === 0 || wasStopped) return status
    const next = nextVersion(home, say)
    if (next === undefined) return status
    switchTo(home, next)
  }
}

/**
 * How the commands that ask a node find the devnet that runs on this machine. It leaves a file in its home, and that counts
 * only while its process lives. A home that the operator has made or named comes first.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { formatHostPort } from '../../../core/host-port.ts'
import { DEFAULT_HOME, type Home, openHome } from '../../node/config/home.ts'
import type { NodeConfiguration } from '../../node/load-node.ts'
import type { NodeFlags } from '../../node/node-flags.ts'

/** Where `make devnet` keeps its chain. */
export const CHECKOUT_DEVNET = join(import.meta.dirname, '..', '..', '..', '.devnet')

/** A folder in the home of a devnet, and in no other: --reset deletes nothing without it. */
export const devnetMarker = (home: Home): string => join(home.root, 'devnet')
const recordOf = (home: Home): string => join(devnetMarker(home), 'running.json')

const record = z.object({
  pid: z.int().positive(),
  settings: z.record(z.string(), z.string()),
  cometRpc: z.string(),
  cometP2p: z.string(),
})

export interface RunningDevnet {
  readonly home: string
  /** The addresses at which it was started, whatever flags and variables said so. */
  readonly flags: NodeFlags & { readonly cometRpc: string }
}

const ADDRESSES = ['json-rpc.address', 'json-rpc.ws-address', 'api.address', 'grpc.address'] as const

/**
 * Records this process. The file is removed by {@link forgetRunning}; what a killed one leaves names a dead process.
 */
export const recordRunning = ({ home, settings, comet }: NodeConfiguration): void => {
  const addresses = ADDRESSES.map((key) => [key, formatHostPort(settings[key])] as const)
  const text = JSON.stringify({
    pid: process.pid,
    settings: Object.fromEntries(addresses),
    cometRpc: comet.rpc,
    cometP2p: comet.p2p,
  })
  writeFileSync(recordOf(home), `${text}\n`)
}

export const forgetRunning = (home: Home): void => rmSync(recordOf(home), { force: true })

/** The number of a killed devnet may be that of another program by now: where the system tells of the command, it is asked. */
const isDevnet = (pid: number): boolean => {
  const command = `/proc/${pid}/cmdline`
  try {
    process.kill(pid, 0)
    return !existsSync(command) || readFileSync(command, 'utf8').split('\0').includes('devnet-application')
  } catch {
    return false
  }
}

const readRunning = (home: Home): RunningDevnet | undefined => {
  const path = recordOf(home)
  if (!existsSync(path)) return undefined
  let parsed: z.infer<typeof record>
  try {
    parsed = record.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    // Being written, or of another version: then it is as if no devnet ran, and flags say where the node is.
    return undefined
  }
  const { pid, ...flags } = parsed
  return isDevnet(pid) ? { home: home.root, flags } : undefined
}

/** Undefined where none runs, where `--home` or CHAIN_HOME names a home, and where `~/.nat-chain` has a chain. */
export const findDevnet = (): RunningDevnet | undefined => {
  const { CHAIN_HOME: named = '', DEVNET_HOME: place = '' } = process.env
  const isNamed = process.argv.some((arg) => arg === '--home' || arg.startsWith('--home='))
  if (named !== '' || isNamed || existsSync(openHome(DEFAULT_HOME).genesis)) return undefined
  return readRunning(openHome(place === '' ? CHECKOUT_DEVNET : place))
}

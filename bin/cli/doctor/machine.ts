/** What a node needs of its machine: ports, room, open files, a clock, programs of the right version. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatHostPort } from '../../../core/host-port.ts'
import { parseOpenFileLimit } from '../../node/runtime/open-files.ts'
import { findCometbft } from '../../node/supervise/cometbft-binary.ts'
import { isFreePort, type Listener } from '../../node/supervise/ports.ts'
import { type Finding, fault, ok, orFault, warning } from './finding.ts'
import { portOwner } from './port-owners.ts'

const GIB = 2 ** 30
/** A node that restores a snapshot gives up below half of it, and a full disk stops every node. */
const LEAST_FREE_BYTES = GIB
const LITTLE_FREE_BYTES = 10 * GIB
/** The database has 1 to 6 MiB in a file, and each is open. */
const LEAST_FILES = 1_024
const FEW_FILES = 16_384
/** Validators stamp their votes: one whose clock is wrong moves the time of blocks, or is outvoted. */
const LARGE_SKEW_MS = 10_000
const SMALL_SKEW_MS = 2_000

const checkPort = async ({ address, purpose, setting }: Listener, isRunning: boolean): Promise<Finding> => {
  const check = `port ${address.port}`
  const where = `${formatHostPort(address)} (${purpose})`
  if (address.port === 0 || (await isFreePort(address))) {
    if (!isRunning) return ok(check, `${where} is free`)
    return fault(check, `nothing listens on ${where}, although the node runs`, `look at the log; ${setting} moves it`)
  }
  const owner = portOwner(address.port) ?? 'a process of another user'
  if (isRunning) return ok(check, `${where} is held by ${owner}`)
  return fault(check, `${where} is held by ${owner}`, `stop that process, or move the port: ${setting}`)
}

export const checkPorts = async (listeners: readonly Listener[], isRunning: boolean): Promise<readonly Finding[]> => {
  const found: Finding[] = []
  for (const listener of listeners) {
    const action = `give it an address of this machine: ${listener.setting}`
    found.push(
      ...(await orFault(`port ${listener.address.port}`, action, async () => [await checkPort(listener, isRunning)])),
    )
  }
  return found
}

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`

const existingAbove = (path: string): string => {
  let folder = path
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

export const checkDisk = (
  root: string,
  freeBytes = (folder: string): number => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  },
): Finding => {
  const free = freeBytes(existingAbove(root))
  const detail = `${gib(free)} are free for ${root}`
  const action = 'free some space, move the home to a larger disk, or set pruning and min-retain-blocks'
  if (free < LEAST_FREE_BYTES) return fault('disk', detail, action)
  return free < LITTLE_FREE_BYTES ? warning('disk', detail, action) : ok('disk', detail)
}

export const checkOpenFiles = (limits = readFileSync('/proc/self/limits', 'utf8')): Finding => {
  const limit = parseOpenFileLimit(limits)
  // Without a number there is no limit.
  if (limit === undefined) return ok('open files', 'not limited')
  const detail = `${limit} may be open`
  const action = 'raise it: "ulimit -Hn 65536" before the start, or LimitNOFILE=65536 of systemd'
  if (limit < LEAST_FILES) return fault('open files', detail, action)
  return limit < FEW_FILES ? warning('open files', detail, action) : ok('open files', detail)
}

/** `otherMs` is the clock of `source`, read at about the same time. */
export const judgeClock = (ownMs: number, otherMs: number, source: string): Finding => {
  const skew = ownMs - otherMs
  const seconds = (Math.abs(skew) / 1_000).toFixed(1)
  const detail = `this clock is ${seconds} s ${skew < 0 ? 'behind' : 'ahead of'} that of ${source}`
  const action = 'synchronise the clock: systemd-timesyncd, chrony or ntpd ("timedatectl" shows whether one runs)'
  if (Math.abs(skew) > LARGE_SKEW_MS) return fault('clock', detail, action)
  return Math.abs(skew) > SMALL_SKEW_MS ? warning('clock', detail, action) : ok('clock', detail)
}

export const checkVersions = async (cometbft?: string): Promise<readonly Finding[]> => [
  ok('node', `Node ${process.versions.node}`),
  ...(await orFault('cometbft', 'run "make setup", or name the binary in COMETBFT_BINARY', async () => [
    ok('cometbft', `${await findCometbft(process.env, cometbft)} is accepted`),
  ])),
]

/** `chain doctor`: looks at everything that a node needs, and says of each thing what to do. It changes nothing. */
import { existsSync } from 'node:fs'
import type { CometAddresses } from '../../node/config/comet-toml.ts'
import type { Home } from '../../node/config/home.ts'
import type { Settings } from '../../node/config/settings.ts'
import { isNodeRunning } from '../../node/is-node-running.ts'
import { cometListeners, gatewayListeners, metricsListeners } from '../../node/listeners.ts'
import type { NodeFlags } from '../../node/node-flags.ts'
import type { Listener } from '../../node/supervise/ports.ts'
import type { Finding } from './finding.ts'
import {
  checkCometToml,
  checkDialled,
  checkGenesis,
  checkHome,
  checkSettings,
  checkSigningFiles,
  checkSnapshots,
  type FoundGenesis,
} from './home-checks.ts'
import { checkDisk, checkOpenFiles, checkPorts, checkVersions } from './machine.ts'
import { checkRunning, compareWith, compareWithBlock, readHeight } from './running.ts'

export interface DoctorOptions {
  readonly home: Home
  readonly flags: NodeFlags
  /** Consensus RPCs of other nodes. */
  readonly rpcs: readonly string[]
}

const metricsPorts = (settings: Settings): readonly Listener[] =>
  (['telemetry.address', 'telemetry.gateway-address'] as const).flatMap((key) => metricsListeners({ settings }, key))

interface Found {
  settings?: Settings
  comet?: CometAddresses
  genesis?: FoundGenesis
}

const checkFiles = async ({ home, flags }: DoctorOptions, found: Found): Promise<readonly Finding[]> => [
  ...(await checkHome(home)),
  ...(await checkSettings(home, flags.settings, (settings) => (found.settings = settings))),
  ...(await checkCometToml(home, (file) => {
    found.comet = {
      rpc: flags.cometRpc ?? file.rpc,
      p2p: flags.cometP2p ?? file.p2p,
      seeds: flags.cometSeeds ?? file.seeds,
      persistentPeers: flags.cometPersistentPeers ?? file.persistentPeers,
    }
    return found.comet
  })),
  ...(existsSync(home.configToml) ? await checkSigningFiles(home) : []),
  ...(await checkGenesis(
    home,
    found.settings === undefined ? undefined : BigInt(found.settings['evm.evm-chain-id']),
    (genesis) => (found.genesis = genesis),
  )),
]

const checkNetwork = async (
  { rpcs }: DoctorOptions,
  { comet, genesis }: Found,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  if (comet === undefined) return []
  const isAlone = genesis?.isAlone ?? false
  const findings = [...(await (isRunning ? checkRunning(comet, isAlone) : checkDialled(comet, isAlone)))]
  const height = isRunning ? await readHeight(comet.rpc) : undefined
  for (const url of rpcs) findings.push(...(await compareWith(url, genesis?.chainId, height)))
  if (rpcs.length === 0) findings.push(...(await compareWithBlock(comet.rpc)))
  return findings
}

/** In the order in which they are printed. */
export const examine = async (options: DoctorOptions): Promise<readonly Finding[]> => {
  const { home } = options
  // Where there is none, nothing in it can be looked at.
  if (!existsSync(home.root)) return [...(await checkVersions()), ...(await checkHome(home)), checkOpenFiles()]
  const found: Found = {}
  const files = await checkFiles(options, found)
  const isRunning = await isNodeRunning(home)
  const { settings, comet } = found
  const listeners = [
    ...(comet === undefined ? [] : cometListeners({ comet })),
    ...(settings === undefined ? [] : [...gatewayListeners({ settings }), ...metricsPorts(settings)]),
  ]
  return [
    ...(await checkVersions()),
    ...files,
    ...(await checkPorts(listeners, isRunning)),
    checkDisk(home.root),
    checkOpenFiles(),
    ...(settings === undefined ? [] : await checkSnapshots(home, settings['state-sync.snapshot-interval'])),
    ...(await checkNetwork(options, found, isRunning)),
  ]
}

const WIDTH = 14

/** Lines for people. */
export const describeFindings = (findings: readonly Finding[]): readonly string[] => {
  const count = (level: Finding['level']): number => findings.filter((each) => each.level === level).length
  const lines = findings.flatMap(({ level, check, detail, action }) => [
    `${level.padEnd(8)} ${check.padEnd(WIDTH)} ${detail}`,
    ...(action === undefined ? [] : [`${' '.repeat(9 + WIDTH)} -> ${action}`]),
  ])
  return [...lines, `${count('ok')} well, ${count('warning')} warnings, ${count('fault')} faults`]
}

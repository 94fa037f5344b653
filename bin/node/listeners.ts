/** The ports of a node by its settings. */
import { parseHostPort } from '../../core/host-port.ts'
import type { CometAddresses } from './config/comet-toml.ts'
import type { Settings } from './config/settings.ts'
import { cliError } from '../errors.ts'
import type { Listener } from './supervise/ports.ts'

interface SomeSettings {
  readonly settings: Settings
}

const cometListener = (purpose: string, laddr: string, key: string): Listener => {
  const address = parseHostPort(laddr)
  if (address === undefined)
    throw cliError('settings', `${key} of config.toml is "${laddr}", but must be tcp://host:port`)
  return { purpose, address, setting: `${key} in config.toml, or --${key}` }
}

/** Ports of CometBFT. */
export const cometListeners = ({ comet }: { readonly comet: CometAddresses }): readonly Listener[] => [
  cometListener('consensus RPC', comet.rpc, 'rpc.laddr'),
  cometListener('peer-to-peer', comet.p2p, 'p2p.laddr'),
]

const settingListener = (
  { settings }: SomeSettings,
  purpose: string,
  key: 'api.address' | 'grpc.address' | 'json-rpc.address' | 'json-rpc.ws-address',
): Listener => ({ purpose, address: settings[key], setting: `${key} in app.toml, or --${key}` })

/** Ports of the gateway, as far as they are enabled. */
export const gatewayListeners = (configuration: SomeSettings): readonly Listener[] => {
  const { settings } = configuration
  return [
    ...(settings['api.enable'] ? [settingListener(configuration, 'native REST', 'api.address')] : []),
    ...(settings['grpc.enable'] ? [settingListener(configuration, 'native gRPC', 'grpc.address')] : []),
    ...(settings['json-rpc.enable']
      ? [
          settingListener(configuration, 'JSON-RPC', 'json-rpc.address'),
          settingListener(configuration, 'JSON-RPC WebSocket', 'json-rpc.ws-address'),
        ]
      : []),
  ]
}

export const METRICS = ['telemetry.address', 'telemetry.gateway-address'] as const

/** Returns where the figures of a process are served; nowhere where telemetry is off. */
export const metricsListeners = ({ settings }: SomeSettings, key: (typeof METRICS)[number]): readonly Listener[] =>
  settings['telemetry.enabled']
    ? [{ purpose: 'metrics', address: settings[key], setting: `${key} in app.toml, or --${key}` }]
    : []

/** `chain gateway`: JSON-RPC, REST and gRPC for an application that runs elsewhere. It holds no state: any number may run. */
import { readFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { connectApplication } from '../../../rpc/stream/connect-application.ts'
import { startGateway } from '../../../rpc/gateway.ts'
import { loadSettings } from '../../node/config/app-toml.ts'
import { toGatewaySettings } from '../../node/config/gateway-settings.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { gatewayListeners, type NodeFlags } from '../../node/load-node.ts'
import { giveBackMemory } from '../../node/runtime/give-back-memory.ts'
import { createLog } from '../../node/runtime/log.ts'
import { requireFreePorts } from '../../node/supervise/ports.ts'
import { sendPulse } from '../../node/supervise/send-pulse.ts'
import { untilSignal } from '../../node/supervise/signals.ts'

export interface GatewayOptions {
  /** Only its app.toml is read; a gateway without a home runs on flags, environment and defaults. */
  readonly home: Home
  readonly application: string
  /** What the application asks of gateways, as bytes. */
  readonly secret?: Uint8Array
  readonly flags: NodeFlags
}

export const gatewayCommand = async ({ home, application: address, secret, flags }: GatewayOptions): Promise<void> => {
  const log = createLog()
  const { settings, warnings } = loadSettings({
    path: home.appToml,
    toml: existsSync(home.appToml) ? readFileSync(home.appToml, 'utf8') : '',
    flags: flags.settings,
    environment: process.env,
  })
  for (const warning of warnings) log.warn(warning)
  const listeners = gatewayListeners({ settings })
  if (listeners.length === 0)
    throw cliError('settings', 'nothing to serve: json-rpc.enable, api.enable and grpc.enable are false')
  await requireFreePorts(listeners)
  const signal = untilSignal()
  sendPulse()
  const memory = giveBackMemory()
  const application = connectApplication({ address, log, ...(secret === undefined ? {} : { secret }) })
  try {
    const gateway = await startGateway(toGatewaySettings(settings), application, log)
    log.info('gateway started', { application: address })
    const reason = await signal.received
    log.info('gateway stopping', { reason })
    await gateway.close()
  } finally {
    memory.stop()
    await application.close()
    signal.dispose()
  }
}

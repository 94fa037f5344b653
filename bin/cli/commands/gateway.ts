/** `chain gateway`: JSON-RPC, REST and gRPC for an application that runs elsewhere. It holds no state: any number may run. */
import { readFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { connectApplication } from '../../../rpc/stream/connect-application.ts'
import { startGateway } from '../../../rpc/gateway.ts'
import { loadSettings } from '../../node/config/app-toml.ts'
import { toGatewaySettings } from '../../node/config/gateway-settings.ts'
import { expirySeconds, tlsFilesOf, watchTlsFiles } from '../../node/config/tls-files.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { gatewayListeners, metricsListeners, type NodeFlags } from '../../node/load-node.ts'
import { startTelemetry } from '../../node/metrics/telemetry.ts'
import { giveBackMemory } from '../../node/runtime/give-back-memory.ts'
import { logFormatOf } from '../../node/runtime/log-format.ts'
import { connectRedis } from '../../node/runtime/redis-counters.ts'
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

const CERTIFICATE_EXPIRY = {
  name: 'nat_tls_certificate_expiry_seconds',
  help: 'When the certificate of the servers expires, in seconds since 1970',
}

export const gatewayCommand = async ({ home, application: address, secret, flags }: GatewayOptions): Promise<void> => {
  const root = createLog()
  const log = root.of('gateway')
  const { settings, warnings } = loadSettings({
    path: home.appToml,
    toml: existsSync(home.appToml) ? readFileSync(home.appToml, 'utf8') : '',
    flags: flags.settings,
    environment: process.env,
  })
  root.configure({ levels: settings['log-level'], format: logFormatOf(settings['log-format']) })
  // The application of a node has told of them.
  if (process.send === undefined) for (const warning of warnings) log.warn(warning)
  const listeners = gatewayListeners({ settings })
  if (listeners.length === 0)
    throw cliError('settings', 'nothing to serve: json-rpc.enable, api.enable and grpc.enable are false')
  const files = tlsFilesOf(settings)
  const tls = files && watchTlsFiles(files, log)
  const metrics = metricsListeners({ settings }, 'telemetry.gateway-address')
  await requireFreePorts([...listeners, ...metrics])
  const signal = untilSignal()
  sendPulse()
  const memory = giveBackMemory()
  const { meter, close: closeTelemetry } = await startTelemetry(metrics, root.of('telemetry'))
  if (tls !== undefined) meter.gauge(CERTIFICATE_EXPIRY, () => [[expirySeconds(tls.current())]])
  const application = connectApplication({ address, log, ...(secret === undefined ? {} : { secret }) })
  const redis = settings['json-rpc.rate-limit-redis']
  const counters = redis === '' ? undefined : await connectRedis(redis)
  try {
    const gateway = await startGateway(toGatewaySettings(settings), application, log, { meter, tls, counters })
    log.info('gateway started', { application: address })
    const reason = await signal.received
    log.info('gateway stopping', { reason })
    await gateway.close()
  } finally {
    memory.stop()
    tls?.stop()
    await closeTelemetry()
    counters?.close()
    await application.close()
    signal.dispose()
  }
}

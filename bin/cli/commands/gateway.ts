/** `chain gateway`: JSON-RPC, REST and gRPC for an application that runs elsewhere. It holds no state: any number may run. */
import { readFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import type { Gateway } from '../../../rpc/gateway.ts'
import type { GatewaySettings } from '../../../rpc/settings.ts'
import { loadSettings } from '../../node/config/app-toml.ts'
import { toGatewaySettings } from '../../node/config/gateway-settings.ts'
import { expirySeconds, tlsFilesOf, watchTlsFiles } from '../../node/config/tls-files.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { gatewayListeners, metricsListeners } from '../../node/listeners.ts'
import type { NodeFlags } from '../../node/node-flags.ts'
import { startTelemetry } from '../../node/metrics/telemetry.ts'
import { giveBackMemory } from '../../node/runtime/give-back-memory.ts'
import { logFormatOf } from '../../node/runtime/log-format.ts'
import type { NativePlan } from '../../node/native-gateway/messages.ts'
import { startNativeGateway } from '../../node/native-gateway/native-gateway.ts'
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

/** Where both are served native REST and gRPC get a process of their own: what their clients do takes nothing from JSON-RPC. */
const apart = (settings: GatewaySettings): { readonly own: GatewaySettings; readonly native?: GatewaySettings } => {
  const { address, restAddress, grpcAddress } = settings
  if (address === undefined || (restAddress === undefined && grpcAddress === undefined)) return { own: settings }
  return {
    own: { ...settings, restAddress: undefined, grpcAddress: undefined },
    native: { ...settings, address: undefined, wsAddress: undefined },
  }
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
  let isStopping = false
  void signal.received.then(() => (isStopping = true))
  sendPulse()
  const redis = settings['json-rpc.rate-limit-redis']
  const { own, native } = apart(toGatewaySettings(settings))
  const plan: NativePlan | undefined = native && {
    settings: native,
    logging: { levels: settings['log-level'], format: logFormatOf(settings['log-format']) },
    application: address,
    ...(secret === undefined ? {} : { secret: Buffer.from(secret).toString('base64') }),
    ...(files === undefined ? {} : { tls: files }),
    ...(redis === '' ? {} : { redis }),
    hasFigures: metrics.length > 0,
    others: { jsonRpc: own.address, webSocket: own.wsAddress },
  }
  const { meter, addProcess, close: closeTelemetry } = await startTelemetry(metrics, root.of('telemetry'))
  // It loads while this process does.
  const nativeGateway = plan && startNativeGateway(plan, log)
  const [{ startGateway }, { connectApplication }] = await Promise.all([
    import('../../../rpc/gateway.ts'),
    import('../../../rpc/stream/connect-application.ts'),
  ])
  // Also a signal that came while they were loaded is heard of here.
  await new Promise(setImmediate)
  if (isStopping) {
    tls?.stop()
    await nativeGateway?.close()
    await closeTelemetry()
    return signal.dispose()
  }
  const memory = giveBackMemory()
  if (tls !== undefined) meter.gauge(CERTIFICATE_EXPIRY, () => [[expirySeconds(tls.current())]])
  if (nativeGateway !== undefined) addProcess(nativeGateway.figures)
  const application = connectApplication({ address, log, ...(secret === undefined ? {} : { secret }) })
  const counters = redis === '' ? undefined : await connectRedis(redis)
  let gateway: Gateway | undefined
  try {
    // Whoever finds JSON-RPC open finds the other ports open, too.
    if (nativeGateway !== undefined) await Promise.race([nativeGateway.serving, signal.received])
    if (!isStopping) gateway = await startGateway(own, application, log, { meter, tls, counters })
    if (!isStopping) log.info('gateway started', { application: address })
    const reason = await signal.received
    log.info('gateway stopping', { reason })
  } finally {
    await Promise.all([gateway?.close(), nativeGateway?.close()])
    memory.stop()
    tls?.stop()
    await closeTelemetry()
    counters?.close()
    await application.close()
    signal.dispose()
  }
}

/**
 * The native ports of a gateway, REST and gRPC, in a process of their own: what their clients do there takes nothing from those
 * of JSON-RPC (docs/adr/058). Started by native-gateway.ts, which tells it what to serve.
 */
import { connectApplication } from '../../../rpc/stream/connect-application.ts'
import { type Gateway, startGateway } from '../../../rpc/gateway.ts'
import { errorText } from '../../errors.ts'
import { watchTlsFiles } from '../config/tls-files.ts'
import type { Figures } from '../metrics/prometheus-meter.ts'
import { createReportedMeter } from '../metrics/telemetry.ts'
import { giveBackMemory } from '../runtime/give-back-memory.ts'
import { createLog } from '../runtime/log.ts'
import { connectRedis } from '../runtime/redis-counters.ts'
import { sendPulse } from '../supervise/send-pulse.ts'
import { untilSignal } from '../supervise/signals.ts'
import type { FromNative, NativePlan, ToNative } from './messages.ts'

const tell = (message: FromNative): void => void process.send?.(message, undefined, undefined, () => undefined)

const untilPlanned = (): Promise<NativePlan> =>
  new Promise((resolve) => {
    process.on('message', (message: ToNative) => {
      if (message.type === 'start') resolve(message.plan)
    })
  })

const answerFigures = (read: () => Promise<Figures>): void => {
  process.on('message', (message: ToNative) => {
    if (message.type === 'figures') void read().then((figures) => tell({ type: 'figures', id: message.id, figures }))
  })
}

const signal = untilSignal()
sendPulse()
const memory = giveBackMemory()
tell({ type: 'loaded' })
const plan = await untilPlanned()
const root = createLog()
root.configure(plan.logging)
const log = root.of('gateway')
const tls = plan.tls && watchTlsFiles(plan.tls, log)
const counters = plan.redis === undefined ? undefined : await connectRedis(plan.redis)
const { meter, figures } = await createReportedMeter('native', plan.hasFigures)
answerFigures(figures)
const secret = plan.secret === undefined ? {} : { secret: Buffer.from(plan.secret, 'base64') }
const application = connectApplication({ address: plan.application, log, ...secret })
let gateway: Gateway | undefined
try {
  gateway = await startGateway(plan.settings, application, log, { meter, tls, counters, others: plan.others })
  tell({ type: 'serving' })
  await signal.received
} catch (error) {
  process.exitCode = 1
  tell({ type: 'failed', reason: errorText(error) })
} finally {
  await gateway?.close()
  memory.stop()
  tls?.stop()
  counters?.close()
  await application.close()
  signal.dispose()
  process.disconnect()
}

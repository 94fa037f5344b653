/** What a gateway and the process of its native ports say to each other, over the channel of process.send. */
import type { PageServers } from '../../../rpc/page/serve-page.ts'
import type { GatewaySettings } from '../../../rpc/settings.ts'
import type { Figures } from '../metrics/prometheus-meter.ts'
import type { LoggingPlan } from '../supervise/messages.ts'

/** All that it needs to know: it reads no settings, which may have changed since the gateway began. */
export interface NativePlan {
  readonly settings: GatewaySettings
  readonly logging: Pick<LoggingPlan, 'format' | 'levels'>
  /** Where the application listens. */
  readonly application: string
  /** In base64. */
  readonly secret?: string
  readonly tls?: { readonly certificatePath: string; readonly keyPath: string }
  /** URL of the counters of rates that gateways share. */
  readonly redis?: string
  /** Whether somebody asks for figures. */
  readonly hasFigures: boolean
  /** The gateway's own ports. */
  readonly others: Omit<PageServers, 'grpc'>
}

export type ToNative =
  | { readonly type: 'start'; readonly plan: NativePlan }
  | { readonly type: 'figures'; readonly id: number }

export type FromNative =
  /** It has loaded, and waits for its plan. */
  | { readonly type: 'loaded' }
  | { readonly type: 'serving' }
  /** It cannot serve, and ends. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'figures'; readonly id: number; readonly figures: Figures }
  | { readonly type: 'pulse' }

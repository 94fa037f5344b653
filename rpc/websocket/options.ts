import type { StreamHub } from '../clob/streams/hub.ts'
import type { Responder } from '../envelope.ts'
import type { Floods } from '../floods.ts'
import type { HostCheck } from '../hosts.ts'
import type { FindAddress, RateLimiter } from '../limits.ts'
import type { GatewayLog } from '../log.ts'
import type { LongRequests } from '../long-requests/long-requests.ts'
import type { MemoryBudget } from '../memory-budget.ts'
import type { SubscriptionHub } from '../subscriptions/hub.ts'
import type { Turns } from '../turns.ts'
import type { WritingTurns } from './writing-turns.ts'

export interface WebSocketOptions {
  readonly responder: Responder
  readonly hub: SubscriptionHub
  /** Streams of the order book: namespace clob. */
  readonly streams: StreamHub
  readonly log: GatewayLog
  readonly origins: readonly string[]
  readonly isHostAllowed: HostCheck
  readonly messageLimit: number
  readonly bufferLimit: number
  readonly subscriptionLimit: number
  /** WebSockets of one client; 0 is no limit. */
  readonly connectionsByClient: number
  /** Limits messages, whatever they ask. */
  readonly messages: RateLimiter | undefined
  readonly pingIntervalMs: number
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly turns: Turns
  readonly writingTurns: WritingTurns
  readonly budget: MemoryBudget
  /** Clients whose connections wait. */
  readonly floods: Floods
  /** Left out where the application is in this process: then this thread reads what is long, too. */
  readonly longRequests: LongRequests | undefined
}

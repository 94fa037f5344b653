/** Names of what the wire has numbers for, both ways. */
import type { PostOnlyMode, SelfTradePrevention, Side, TimeInForce, TriggerKind } from '../domain/order.ts'

/** The names by number, from 0. The wire has no name for `undefined`. */
export const SIDES = [undefined, 'buy', 'sell'] as const satisfies readonly (Side | undefined)[]
export const TIMES_IN_FORCE = [undefined, 'gtc', 'ioc', 'fok', 'post_only'] as const satisfies readonly (
  | TimeInForce
  | undefined
)[]
export const SELF_TRADE_PREVENTIONS = [
  'cancel_maker',
  'cancel_taker',
  'cancel_both',
  'decrement',
] as const satisfies readonly SelfTradePrevention[]
export const TRIGGER_KINDS = ['none', 'stop', 'take_profit'] as const satisfies readonly TriggerKind[]
export const POST_ONLY_MODES = ['reject', 'slide'] as const satisfies readonly PostOnlyMode[]

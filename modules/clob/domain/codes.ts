/** The numbers by which state, messages and records name choices: those of the protobuf enums. */
import type { MarketMode, MarketStatus } from './market.ts'
import type { PostOnlyMode, SelfTradePrevention, Side, TimeInForce, TriggerKind } from './order.ts'

export const SIDE_CODES = { buy: 1, sell: 2 } as const satisfies Record<Side, number>
/** 0 is both. */
export const BOTH_SIDES = 0
export const TIF_CODES = { gtc: 1, ioc: 2, fok: 3, post_only: 4 } as const satisfies Record<TimeInForce, number>
export const STP_CODES = {
  cancel_maker: 0,
  cancel_taker: 1,
  cancel_both: 2,
  decrement: 3,
} as const satisfies Record<SelfTradePrevention, number>
export const TRIGGER_CODES = { none: 0, stop: 1, take_profit: 2 } as const satisfies Record<TriggerKind, number>
export const POST_ONLY_CODES = { reject: 0, slide: 1 } as const satisfies Record<PostOnlyMode, number>
export const STATUS_CODES = {
  active: 1,
  post_only: 2,
  cancel_only: 3,
  halted: 4,
} as const satisfies Record<MarketStatus, number>
export const MODE_CODES = { continuous: 1, uniform: 2 } as const satisfies Record<MarketMode, number>

/** The way back: names by number. */
export const namesOf = <Name extends string>(codes: Readonly<Record<Name, number>>): Readonly<Record<number, Name>> =>
  Object.fromEntries((Object.entries(codes) as [Name, number][]).map(([name, code]) => [code, name]))

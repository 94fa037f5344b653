/** What an owner traded in a quote denomination, by UTC day: its fee tier follows from the days before. */

/** The day of a block and the 30 before it. */
export const VOLUME_DAYS = 31

export interface TradedVolume {
  /** Days since 1970 (UTC) of the newest sum. */
  readonly lastDay: number
  /** 31 sums of notional: the first is that of `lastDay`, each next one that of the day before. */
  readonly sums: readonly bigint[]
}

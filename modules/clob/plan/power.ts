/** Sums of voting power without a bigint for each addition: a power is below 2^63, so two numbers hold it exactly. */

const LOW_BITS = 30n
const LOW = 2 ** Number(LOW_BITS)

/** high * 2^30 + low; of a sum, `low` may be above 2^30. */
export interface Power {
  readonly high: number
  readonly low: number
}

export const toPower = (value: bigint): Power => {
  const high = value >> LOW_BITS
  return { high: Number(high), low: Number(value - (high << LOW_BITS)) }
}

/** A sum that grows. */
export class PowerSum implements Power {
  high = 0
  low = 0

  clear(): void {
    this.high = 0
    this.low = 0
  }

  add({ high, low }: Power): void {
    this.high += high
    this.low += low
  }
}

/** Whether times * a > others * b, for small factors. */
export const isMore = (times: number, a: Power, others: number, b: Power): boolean => {
  const low = times * a.low - others * b.low
  const carry = Math.floor(low / LOW)
  const high = times * a.high - others * b.high + carry
  return high > 0 || (high === 0 && low > carry * LOW)
}

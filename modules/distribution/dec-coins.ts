/** Lists of decimal amounts, as the SDK's DecCoins: sorted by denomination, each once, never zero or negative. */
import {
  type Decimal,
  divideByInteger,
  formatDecimal,
  multiply,
  multiplyTruncate,
  ONE,
  toDecimal,
} from '../../core/decimal.ts'
import { invariant } from '../../core/errors.ts'
import type { Coin } from '../ledger.ts'

export interface DecCoin {
  readonly denom: string
  readonly amount: Decimal
}

export type DecCoins = readonly DecCoin[]

export const NO_COINS: DecCoins = []

/** Both lists in one pass; `sign` is that of the second. */
const combine = (a: DecCoins, b: DecCoins, sign: 1n | -1n): DecCoins => {
  const out: DecCoin[] = []
  const push = (denom: string, amount: Decimal): void => {
    invariant(amount >= 0n, `rewards of ${denom} would be negative`)
    if (amount > 0n) out.push({ denom, amount })
  }
  let [i, j] = [0, 0]
  for (;;) {
    const [left, right] = [a[i], b[j]]
    if (left === undefined && right === undefined) return out
    if (right === undefined || (left !== undefined && left.denom < right.denom)) {
      if (left !== undefined) push(left.denom, left.amount)
      i++
    } else if (left === undefined || right.denom < left.denom) {
      push(right.denom, sign * right.amount)
      j++
    } else {
      push(left.denom, left.amount + sign * right.amount)
      i++
      j++
    }
  }
}

export const addCoins = (a: DecCoins, b: DecCoins): DecCoins =>
  b.length === 0 ? a : a.length === 0 ? b : combine(a, b, 1n)

/** `b` is covered by `a`. */
export const subtractCoins = (a: DecCoins, b: DecCoins): DecCoins => (b.length === 0 ? a : combine(a, b, -1n))

export const amountOf = (coins: DecCoins, denom: string): Decimal =>
  coins.find((coin) => coin.denom === denom)?.amount ?? 0n

/** The first denomination of which `b` has less than `a`, in one pass. */
export const fallenDenom = (a: DecCoins, b: DecCoins): string | undefined => {
  let index = 0
  const later = (denom: string): DecCoin | undefined => {
    let coin = b[index]
    while (coin !== undefined && coin.denom < denom) coin = b[++index]
    return coin?.denom === denom ? coin : undefined
  }
  return a.find(({ denom, amount }) => (later(denom)?.amount ?? 0n) < amount)?.denom
}

const mapAmounts = (coins: DecCoins, map: (amount: Decimal) => Decimal): DecCoins => {
  const out: DecCoin[] = []
  for (const { denom, amount } of coins) {
    const mapped = map(amount)
    if (mapped > 0n) out.push({ denom, amount: mapped })
  }
  return out
}

/** Rounds halves to even. */
export const multiplyCoins = (coins: DecCoins, factor: Decimal): DecCoins =>
  mapAmounts(coins, (amount) => multiply(amount, factor))

export const multiplyCoinsTruncate = (coins: DecCoins, factor: Decimal): DecCoins =>
  mapAmounts(coins, (amount) => multiplyTruncate(amount, factor))

/** Divides by an integer that is not zero; truncates. */
export const divideCoins = (coins: DecCoins, divisor: bigint): DecCoins =>
  mapAmounts(coins, (amount) => divideByInteger(amount, divisor))

/** The smaller amount of every denomination. */
export const intersectCoins = (a: DecCoins, b: DecCoins): DecCoins => {
  const out: DecCoin[] = []
  for (const { denom, amount } of a) {
    const other = amountOf(b, denom)
    const least = amount < other ? amount : other
    if (least > 0n) out.push({ denom, amount: least })
  }
  return out
}

/** What can be paid in whole units, and what is left of it. */
export const truncateCoins = (coins: DecCoins): { readonly whole: readonly Coin[]; readonly rest: DecCoins } => {
  const whole: Coin[] = []
  for (const { denom, amount } of coins) if (amount >= ONE) whole.push({ denom, amount: amount / ONE })
  return { whole, rest: mapAmounts(coins, (amount) => amount % ONE) }
}

/** `coins` are sorted and positive. */
export const toDecCoins = (coins: readonly Coin[]): DecCoins =>
  coins.map(({ denom, amount }) => ({ denom, amount: toDecimal(amount) }))

/** `1.500000000000000000anat`: as events show it. */
export const formatDecCoins = (coins: DecCoins): string =>
  coins.map(({ denom, amount }) => `${formatDecimal(amount)}${denom}`).join(',')

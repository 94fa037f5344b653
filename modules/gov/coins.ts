/** Lists of coins with the rules of the SDK's types.Coins: sorted by denomination, each once, all positive. */
import { MAX_UINT256 } from '../../core/amounts.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import type { RlpInput, RlpItem } from '../../core/rlp.ts'
import type { Coin } from '../ledger.ts'
import { MAX_DEPOSIT_COINS } from './limits.ts'

/** A coin as it travels. */
export interface WireCoin {
  readonly denom: string
  readonly amount: string
}

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/
const AMOUNT = /^(?:0|[1-9][0-9]{0,77})$/

/** Such as `10anat,3ibc/27`. */
export const formatCoins = (coins: readonly { readonly denom: string; readonly amount: bigint | string }[]): string =>
  coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')

/** The same, of a list that may be anything: for messages. */
export const describeCoins = (coins: readonly WireCoin[]): string => formatCoins(coins.slice(0, 8)).slice(0, 200)

/**
 * Reads the coins of a message or a genesis: undefined when it is no valid list, or too long. The empty list is valid.
 */
export const readCoins = (coins: readonly WireCoin[]): readonly Coin[] | undefined => {
  if (coins.length > MAX_DEPOSIT_COINS) return undefined
  const parsed: Coin[] = []
  for (const { denom, amount: text } of coins) {
    const previous = parsed.at(-1)
    if (!DENOM.test(denom) || !AMOUNT.test(text) || (previous !== undefined && previous.denom >= denom))
      return undefined
    const amount = BigInt(text)
    if (amount === 0n || amount > MAX_UINT256) return undefined
    parsed.push({ denom, amount })
  }
  return parsed
}

export const toWireCoins = (coins: readonly Coin[]): WireCoin[] =>
  coins.map(({ denom, amount }) => ({ denom, amount: amount.toString() }))

/** Reads what {@link toWireCoins} gave: whatever was written is read. */
export const storedCoins = (coins: readonly WireCoin[]): readonly Coin[] =>
  coins.map(({ denom, amount }) => ({ denom, amount: BigInt(amount) }))

export const amountOf = (coins: readonly Coin[], denom: string): bigint =>
  coins.find((coin) => coin.denom === denom)?.amount ?? 0n

/** Both lists in one; what is zero is left out. */
export const addCoins = (a: readonly Coin[], b: readonly Coin[]): readonly Coin[] => {
  const sums = new Map(a.map(({ denom, amount }) => [denom, amount]))
  for (const { denom, amount } of b) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
  return [...sums]
    .map(([denom, amount]) => ({ denom, amount }))
    .filter(({ amount }) => amount > 0n)
    .sort((x, y) => (x.denom < y.denom ? -1 : 1))
}

/** The SDK's IsAllGTE: an empty list covers nothing but another empty one, even where only zeros are asked for. */
export const coversAll = (coins: readonly Coin[], wanted: readonly Coin[]): boolean =>
  wanted.length === 0 || (coins.length > 0 && wanted.every(({ denom, amount }) => amountOf(coins, denom) >= amount))

export const coinsToRlp = (coins: readonly Coin[]): RlpInput =>
  coins.map(({ denom, amount }) => [utf8ToBytes(denom), bigintToBytes(amount)])

/** Reads what {@link coinsToRlp} gave. */
export const coinsFromRlp = (item: RlpItem): readonly Coin[] =>
  (item as [Uint8Array, Uint8Array][]).map(([denom, amount]) => ({
    denom: bytesToUtf8(denom),
    amount: bytesToBigint(amount),
  }))

/** Coins of messages, by the SDK's rules. */
import { DENOMINATION, MAX_UINT256 } from '../../core/amounts.ts'
import type { Coin } from '../ledger.ts'
import type { MessageContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'

interface WireCoin {
  readonly denom: string
  readonly amount: string
}

/** Most coins of one message. */
const MAX_COINS = 64
const AMOUNT = /^[1-9][0-9]{0,77}$/
const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/
/** The gas for every coin after the first: two balances are read and written, as in a transfer of the bank. */
const GAS_PER_COIN = 20_000n

export const isDenom = (text: string): boolean => DENOM.test(text)

export const formatCoins = (coins: readonly { readonly denom: string; readonly amount: bigint | string }[]): string =>
  coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')

/** Sorted by denomination, each once, all positive, at least one. Throws sdk/10. */
export const parseCoins = (coins: readonly WireCoin[]): readonly Coin[] => {
  if (coins.length === 0) throw sdkError('invalidCoins', 'amount cannot be nil')
  const invalid = () => sdkError('invalidCoins', formatCoins(coins.slice(0, 8)).slice(0, 200))
  if (coins.length > MAX_COINS) throw invalid()
  return coins.map(({ denom, amount: text }, index) => {
    const previous = coins[index - 1]
    if (!isDenom(denom) || !AMOUNT.test(text) || (previous !== undefined && previous.denom >= denom)) throw invalid()
    const amount = BigInt(text)
    if (amount > MAX_UINT256) throw invalid()
    return { denom, amount }
  })
}

/** Throws sdk/11. */
export const consumeCoinGas = ({ consumeGas }: MessageContext, coins: readonly Coin[]): void =>
  consumeGas(GAS_PER_COIN * BigInt(coins.length - 1), 'coins')

/** The coins as protobuf carries them. */
export const toWireCoins = (coins: readonly { readonly denom: string; readonly amount: bigint }[]) =>
  coins.map(({ denom, amount }) => ({ denom, amount: amount.toString() }))

/** The SDK names one zero coin where rewards are none. */
export const withZero = (coins: readonly Coin[]): readonly Coin[] =>
  coins.length === 0 ? [{ denom: DENOMINATION, amount: 0n }] : coins

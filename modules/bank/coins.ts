/** Coins of messages: the SDK's rules for a list of amounts, and its text of one. */
import { MAX_UINT256 } from '../../core/amounts.ts'
import { sdkError } from '../sdk-errors.ts'
import { isDenom } from '../../core/denom.ts'
import type { Coin } from '../ledger.ts'

/** A coin as it travels. */
interface WireCoin {
  readonly denom: string
  readonly amount: string
}

/** Most coins of one list: an account can hold more. */
const MAX_COINS = 256
const AMOUNT = /^(?:0|[1-9][0-9]{0,77})$/

/** Such as `10anat,3ibc/27`. */
export const formatCoins = (coins: readonly { readonly denom: string; readonly amount: bigint | string }[]): string =>
  coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')

/** Sorted by denomination, each once, all positive, at least one. Throws sdk/10. */
export const parseCoins = (coins: readonly WireCoin[]): readonly Coin[] => {
  const invalid = () => sdkError('invalidCoins', formatCoins(coins.slice(0, 8)).slice(0, 200))
  if (coins.length === 0 || coins.length > MAX_COINS) throw invalid()
  return coins.map(({ denom, amount: text }, index) => {
    const previous = coins[index - 1]
    if (!isDenom(denom) || !AMOUNT.test(text) || (previous !== undefined && previous.denom >= denom)) throw invalid()
    const amount = BigInt(text)
    if (amount === 0n || amount > MAX_UINT256) throw invalid()
    return { denom, amount }
  })
}

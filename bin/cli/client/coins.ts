/** Amounts on the command line: 5nat, 0.5nat, 5000anat, 7uother; NAT becomes anat. */
import { DENOMINATION, DISPLAY_DENOMINATION } from '../../../core/amounts.ts'
import { type Decimal, DECIMAL_PLACES, parseDecimal } from '../../../core/decimal.ts'
import { cliError } from '../../errors.ts'

export interface CoinText {
  readonly denom: string
  readonly amount: string
}

const COIN = /^([0-9]{1,60})(?:\.([0-9]{1,18}))?([a-zA-Z][a-zA-Z0-9/:._-]{2,127})$/
const DISPLAY_NAMES: readonly string[] = [DISPLAY_DENOMINATION, DISPLAY_DENOMINATION.toLowerCase()]

const splitCoin = (text: string): { readonly whole: string; readonly places: string; readonly name: string } => {
  const match = COIN.exec(text.trim())
  if (match === null) throw cliError('usage', `"${text}" is no amount: write 5nat, 0.5nat or 5000${DENOMINATION}`)
  const [, whole = '', places = '', name = ''] = match
  return { whole, places, name }
}

/** Throws cli/1, also for a part of an anat. */
export const parseCoin = (text: string): CoinText => {
  const { whole, places, name } = splitCoin(text)
  if (DISPLAY_NAMES.includes(name)) {
    return { denom: DENOMINATION, amount: BigInt(whole + places.padEnd(DECIMAL_PLACES, '0')).toString() }
  }
  if (places !== '') throw cliError('usage', `"${text}": there is nothing smaller than 1${name}`)
  return { denom: name, amount: BigInt(whole).toString() }
}

/** Coins apart by commas or in several arguments, sorted by denomination as the chain wants them. Throws cli/1. */
export const parseCoins = (...texts: readonly string[]): readonly CoinText[] => {
  const coins = texts
    .flatMap((text) => text.split(','))
    .map(parseCoin)
    .toSorted((a, b) => (a.denom < b.denom ? -1 : a.denom > b.denom ? 1 : 0))
  const twice = coins.find(({ denom }, index) => coins[index + 1]?.denom === denom)
  if (twice !== undefined) throw cliError('usage', `"${texts.join(',')}" names ${twice.denom} twice`)
  return coins
}

/** A price of gas such as 2000000000anat, 0.5anat or 0.000000002nat, in anat of 18 places. Throws cli/1. */
export const parseGasPrice = (text: string): Decimal => {
  const { whole, places, name } = splitCoin(text)
  const price = parseDecimal(places === '' ? whole : `${whole}.${places}`)
  if (name === DENOMINATION) return price
  if (DISPLAY_NAMES.includes(name)) return price * 10n ** BigInt(DECIMAL_PLACES)
  throw cliError('usage', `fees are paid in ${DENOMINATION}, not in ${name}`)
}

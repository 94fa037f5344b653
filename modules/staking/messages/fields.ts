/** Members that several messages share. */
import type { Address } from '../../../core/address.ts'
import { MAX_UINT256 } from '../../../core/amounts.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import type { StateReader } from '../../../store/state.ts'
import { sdkError } from '../../sdk-errors.ts'
import { parseOperator } from '../../validator-addresses.ts'
import { readStakingParams } from '../keeper/params.ts'

interface WireCoin {
  readonly denom: string
  readonly amount: string
}

const POSITIVE = /^[1-9][0-9]{0,77}$/
const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/

const parseParty = (parse: (text: string) => Address, text: string, what: string): Address => {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${what} address: ${error.message}`)
  }
}

/** `what` is such as `validator`. Throws sdk/7. */
export const parseOperatorField = (text: string, what = 'validator'): Address => parseParty(parseOperator, text, what)

/** Throws sdk/7. */
export const parseDelegatorField = (text: string): Address => parseParty(parseAccountAddress, text, 'delegator')

export interface Amount {
  readonly denom: string
  readonly amount: bigint
  /** Such as `10anat`. */
  readonly text: string
}

/** A positive amount of a well-formed denomination. Throws sdk/18 with the given words. */
export const parseAmountField = (coin: WireCoin | undefined, fault: string): Amount => {
  if (coin === undefined || !DENOM.test(coin.denom) || !POSITIVE.test(coin.amount))
    throw sdkError('invalidRequest', fault)
  const amount = BigInt(coin.amount)
  if (amount > MAX_UINT256) throw sdkError('invalidRequest', fault)
  return { denom: coin.denom, amount, text: `${amount}${coin.denom}` }
}

const MINIMUM_FAULT = 'minimum self delegation must be a positive integer'

/** Throws sdk/18. */
export const parseMinSelfDelegation = (text: string): bigint => {
  if (!POSITIVE.test(text) || BigInt(text) > MAX_UINT256) throw sdkError('invalidRequest', MINIMUM_FAULT)
  return BigInt(text)
}

/** Throws sdk/18 for coins that cannot be staked. */
export const checkBondDenomination = (state: StateReader, { denom }: Amount): void => {
  const { bondDenomination } = readStakingParams(state)
  if (denom === bondDenomination) return
  throw sdkError('invalidRequest', `invalid coin denomination: got ${denom}, expected ${bondDenomination}`)
}

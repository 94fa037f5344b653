/** Messages and answers to what the module works with, and back. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Address } from '../../core/address.ts'
import { MAX_UINT256 } from '../../core/amounts.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { erc20 } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'
import { addressOfText, denomOf } from './denom.ts'
import type { Token } from './keeper/index.ts'
import { type Erc20Params, paramsFault } from './params.ts'

const AMOUNT = /^(?:0|[1-9][0-9]{0,77})$/

/** Throws sdk/7. */
export const parseParty = (text: string, what: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${what} address: ${error.message}`)
  }
}

/** Throws sdk/7. */
export const parseToken = (text: string): Address => {
  const address = addressOfText(text)
  if (address !== undefined) return address
  throw sdkError('invalidAddress', 'invalid token address: 0x and forty digits in lower case or with a right checksum')
}

/** A number that fits into 256 bits. Throws sdk/18. */
export const parseNumber = (text: string, what: string): bigint => {
  const amount = AMOUNT.test(text) ? BigInt(text) : undefined
  if (amount !== undefined && amount <= MAX_UINT256) return amount
  throw sdkError('invalidRequest', `${what} must be a decimal number below 2^256`)
}

/** Throws sdk/18. */
export const parsePositive = (text: string): bigint => {
  const amount = parseNumber(text, 'amount')
  if (amount === 0n) throw sdkError('invalidRequest', 'amount must be above zero')
  return amount
}

/** Throws sdk/18. */
export const parseParams = (form: erc20.Params | undefined): Erc20Params => {
  if (form === undefined) throw sdkError('invalidRequest', 'params are missing')
  const { enabled, registrationOpen, registrationFee, transferGas, viewGas } = form
  const fee = parseNumber(registrationFee, 'registration_fee')
  const params = { enabled, registrationOpen, registrationFee: fee, transferGas, viewGas }
  const fault = paramsFault(params)
  if (fault !== undefined) throw sdkError('invalidRequest', fault)
  return params
}

export const paramsForm = (params: Erc20Params): MessageInitShape<typeof erc20.ParamsSchema> => ({
  ...params,
  registrationFee: params.registrationFee.toString(),
})

export const tokenForm = (token: Token, booked: bigint): MessageInitShape<typeof erc20.TokenSchema> => ({
  ...token,
  address: bytesToHex(token.address),
  denom: denomOf(token.address),
  booked: booked.toString(),
  measured: token.measured.toString(),
  measuredHeight: BigInt(token.measuredHeight),
})

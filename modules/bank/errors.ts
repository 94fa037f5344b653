/** Failures of the bank, with the Cosmos SDK's codespaces and codes where it has them. */
import { CodedError } from '../../core/errors.ts'
import type { Coin } from '../ledger.ts'
import { sdkError, SDK_CODES } from '../sdk-errors.ts'

export const insufficientFunds = (denom: string, balance: bigint, amount: bigint): CodedError =>
  sdkError('insufficientFunds', `spendable balance ${balance}${denom} is smaller than ${amount}${denom}`)

/** Before coins are staked the SDK says it in other words. */
export const cannotDelegate = ({ denom, amount }: Coin, balance: bigint): CodedError =>
  sdkError('insufficientFunds', `failed to delegate; ${balance}${denom} is smaller than ${amount}${denom}`)

export const invalidDenom = (denom: string): CodedError =>
  new CodedError('sdk', SDK_CODES.invalidCoins[0], `invalid denom: ${denom.slice(0, 128)}`)

const BANK_CODES = {
  noInputs: [2, 'no inputs to send transaction'],
  noOutputs: [3, 'no outputs to send transaction'],
  sumsDiffer: [4, 'sum inputs != sum outputs'],
  sendDisabled: [5, 'send transactions are disabled'],
  multipleSenders: [9, 'multiple senders not allowed'],
} as const

/** Codespace `bank`, as the SDK numbers it; its words come last. */
export const bankError = (kind: keyof typeof BANK_CODES, message = ''): CodedError => {
  const [code, words] = BANK_CODES[kind]
  return new CodedError('bank', code, message === '' ? words : `${message}: ${words}`)
}

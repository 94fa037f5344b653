/** Failures of distribution, with the SDK's numbers; those of staking are what the SDK's distribution answers too. */
import { CodedError } from '../../core/errors.ts'

const CODES = {
  noDelegationInfo: [5, 'no delegation distribution info'],
  noCommission: [7, 'no validator commission to withdraw'],
  withdrawAddressDisabled: [8, 'set withdraw address disabled'],
  poolTooSmall: [9, 'community pool does not have sufficient coins to distribute'],
} as const

export const distributionError = (kind: keyof typeof CODES): CodedError => {
  const [code, words] = CODES[kind]
  return new CodedError('distribution', code, words)
}

export const unknownValidator = (): CodedError => new CodedError('staking', 3, 'validator does not exist')

export const unknownDelegation = (): CodedError =>
  new CodedError('staking', 19, 'no delegation for (address, validator) tuple')

/** Failures of distribution, with the SDK's numbers and words. */
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

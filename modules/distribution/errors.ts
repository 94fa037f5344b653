/** Failures of distribution, with the SDK's numbers and words. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const DISTRIBUTION_ERRORS = errorTable(
  'distribution',
  'Rewards, commission and the community pool, as x/distribution numbers them.',
  {
    noDelegationInfo: {
      code: 5,
      text: 'no delegation distribution info',
      cause: 'The account has no delegation to that validator.',
      action: 'Check both addresses.',
    },
    noCommission: {
      code: 7,
      text: 'no validator commission to withdraw',
      cause: 'The validator has earned no commission since the last withdrawal.',
      action: 'Withdraw later.',
    },
    withdrawAddressDisabled: {
      code: 8,
      text: 'set withdraw address disabled',
      cause: 'Governance has disabled addresses for withdrawals.',
      action: 'Rewards go to the delegator; wait until governance enables them again.',
    },
    poolTooSmall: {
      code: 9,
      text: 'community pool does not have sufficient coins to distribute',
      cause: 'A proposal spends more than the community pool holds.',
      action: 'Propose less, or fund the pool first.',
    },
  },
)

export const distributionError = (kind: keyof typeof DISTRIBUTION_ERRORS.codes): CodedError => {
  const { code, text } = DISTRIBUTION_ERRORS.entries[kind]
  return new CodedError('distribution', code, text)
}

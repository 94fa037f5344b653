/** Failures of staking, with the Cosmos SDK's numbers and words (codespace `staking`). */
import { CodedError } from '../../core/errors.ts'

const CODES = {
  noValidator: [3, 'validator does not exist'],
  operatorExists: [4, 'validator already exist for this operator address; must use new validator operator address'],
  publicKeyExists: [5, 'validator already exist for this pubkey; must use new validator pubkey'],
  publicKeyType: [6, 'validator pubkey type is not supported'],
  jailed: [7, 'validator for this address is currently jailed'],
  commissionNegative: [9, 'commission must be positive'],
  commissionHuge: [10, 'commission cannot be more than 100%'],
  commissionAboveMaximum: [11, 'commission cannot be more than the max rate'],
  commissionTooSoon: [12, 'commission cannot be changed more than once in 24h'],
  changeRateNegative: [13, 'commission change rate must be positive'],
  changeRateAboveMaximum: [14, 'commission change rate cannot be more than the max rate'],
  commissionChange: [15, 'commission cannot be changed more than max change rate'],
  selfDelegationBelowMinimum: [16, "validator's self delegation must be greater than their minimum self delegation"],
  minimumDecreased: [17, 'minimum self delegation cannot be decreased'],
  noDelegation: [19, 'no delegation for (address, validator) tuple'],
  noDelegator: [21, 'delegator does not contain delegation'],
  insufficientShares: [22, 'insufficient delegation shares'],
  notEnoughShares: [24, 'not enough delegation shares'],
  tooManyUnbondings: [27, 'too many unbonding delegation entries for (delegator, validator) tuple'],
  selfRedelegation: [29, 'cannot redelegate to the same validator'],
  tinyRedelegation: [30, 'too few tokens to redelegate (truncates to zero tokens)'],
  noDestination: [31, 'redelegation destination validator not found'],
  transitiveRedelegation: [
    32,
    'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation',
  ],
  tooManyRedelegations: [33, 'too many redelegation entries for (delegator, src-validator, dst-validator) tuple'],
  invalidExchangeRate: [34, 'cannot delegate to validators with invalid (zero) ex-rate'],
  noPublicKey: [39, 'empty validator public key'],
  commissionBelowMinimum: [40, 'commission cannot be less than min rate'],
  noSource: [44, 'redelegation source validator not found'],
  // A bound that the SDK does not have.
  beingSlashed: [
    101,
    'the validator is being slashed: stake behind it cannot move until that is done, some minutes at most',
  ],
} as const

/** `detail` goes before the words of the code, as the SDK wraps its errors. */
export const stakingError = (kind: keyof typeof CODES, detail = ''): CodedError => {
  const [code, words] = CODES[kind]
  return new CodedError('staking', code, detail === '' ? words : `${detail}: ${words}`)
}

/** Failures of staking, with the Cosmos SDK's numbers and words (codespace `staking`). */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'
import { WORDS_COME_LAST, wrapWords } from '../sdk-errors.ts'
import { SHARED_STAKING_ENTRIES } from '../stake-errors.ts'

const ENTRIES = {
  ...SHARED_STAKING_ENTRIES,
  operatorExists: {
    code: 4,
    text: 'validator already exist for this operator address; must use new validator operator address',
    cause: 'The account operates a validator already.',
    action: 'Change that validator with MsgEditValidator, or use another account.',
  },
  publicKeyExists: {
    code: 5,
    text: 'validator already exist for this pubkey; must use new validator pubkey',
    cause: 'Another validator has that consensus key.',
    action: 'Use the key of your own node (`config/priv_validator_key.json`). Never run two nodes with one key.',
  },
  publicKeyType: {
    code: 6,
    text: 'validator pubkey type is not supported',
    cause: 'The consensus key is not an ed25519 key.',
    action: 'Use the ed25519 key of the node.',
  },
  jailed: {
    code: 7,
    text: 'validator for this address is currently jailed',
    cause: 'The validator is in jail, where this cannot be done.',
    action: 'Unjail the validator first.',
  },
  commissionNegative: {
    code: 9,
    text: 'commission must be positive',
    cause: 'A rate of commission is below zero.',
    action: 'Set a rate from 0 to 1.',
  },
  commissionHuge: {
    code: 10,
    text: 'commission cannot be more than 100%',
    cause: 'The highest rate of commission is above 1.',
    action: 'Set a rate from 0 to 1.',
  },
  commissionAboveMaximum: {
    code: 11,
    text: 'commission cannot be more than the max rate',
    cause: 'The rate is above the highest rate that the validator declared for good.',
    action: 'Set a lower rate.',
  },
  commissionTooSoon: {
    code: 12,
    text: 'commission cannot be changed more than once in 24h',
    cause: 'The rate was changed within the last 24 hours.',
    action: 'Wait until 24 hours have passed.',
  },
  changeRateNegative: {
    code: 13,
    text: 'commission change rate must be positive',
    cause: 'The most that the commission may change in a day is below zero.',
    action: 'Set a rate from 0 to the highest rate.',
  },
  changeRateAboveMaximum: {
    code: 14,
    text: 'commission change rate cannot be more than the max rate',
    cause: 'The most that the commission may change in a day is above the highest rate.',
    action: 'Set a rate from 0 to the highest rate.',
  },
  commissionChange: {
    code: 15,
    text: 'commission cannot be changed more than max change rate',
    cause: 'The new rate is further from the old one than the validator declared for a day.',
    action: 'Change the rate in several steps, one a day.',
  },
  selfDelegationBelowMinimum: {
    code: 16,
    text: "validator's self delegation must be greater than their minimum self delegation",
    cause: 'The operator stakes less than the minimum that the same message declares.',
    action: 'Stake more, or declare a lower minimum.',
  },
  minimumDecreased: {
    code: 17,
    text: 'minimum self delegation cannot be decreased',
    cause: 'The new minimum is not above the old one.',
    action: 'Leave the minimum as it is, or raise it.',
  },
  noDelegator: {
    code: 21,
    text: 'delegator does not contain delegation',
    cause: 'The account has no delegation to that validator.',
    action: 'Check both addresses.',
  },
  insufficientShares: {
    code: 22,
    text: 'insufficient delegation shares',
    cause: 'The validator has shares and no tokens left, so that an amount cannot be turned into shares.',
    action: 'Name another validator.',
  },
  notEnoughShares: {
    code: 24,
    text: 'not enough delegation shares',
    cause: 'The delegation is smaller than the amount.',
    action: 'Name a smaller amount.',
  },
  tooManyUnbondings: {
    code: 27,
    text: 'too many unbonding delegation entries for (delegator, validator) tuple',
    cause: 'As many unbondings of this pair are under way as are allowed.',
    action: 'Wait until one has ended.',
  },
  selfRedelegation: {
    code: 29,
    text: 'cannot redelegate to the same validator',
    cause: 'Source and destination are one validator.',
    action: 'Name another destination.',
  },
  tinyRedelegation: {
    code: 30,
    text: 'too few tokens to redelegate (truncates to zero tokens)',
    cause: 'The amount is worth less than 1 anat.',
    action: 'Name a larger amount.',
  },
  noDestination: {
    code: 31,
    text: 'redelegation destination validator not found',
    cause: 'No validator has the operator address of the destination.',
    action: 'Check the address.',
  },
  transitiveRedelegation: {
    code: 32,
    text: 'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation',
    cause: 'The stake came from another validator less than the unbonding time ago.',
    action: 'Wait until that redelegation has ended.',
  },
  tooManyRedelegations: {
    code: 33,
    text: 'too many redelegation entries for (delegator, src-validator, dst-validator) tuple',
    cause: 'As many redelegations between these three are under way as are allowed.',
    action: 'Wait until one has ended.',
  },
  invalidExchangeRate: {
    code: 34,
    text: 'cannot delegate to validators with invalid (zero) ex-rate',
    cause: 'The validator was slashed of all its tokens, so that its shares are worth nothing.',
    action: 'Name another validator.',
  },
  noPublicKey: {
    code: 39,
    text: 'empty validator public key',
    cause: 'The message has no consensus key.',
    action: 'Give the key, which stands in `config/priv_validator_key.json` of the node.',
  },
  commissionBelowMinimum: {
    code: 40,
    text: 'commission cannot be less than min rate',
    cause: 'The rate is below the lowest that governance allows.',
    action: 'Set at least the rate that `chain query staking params` shows.',
  },
  noSource: {
    code: 44,
    text: 'redelegation source validator not found',
    cause: 'No validator has the operator address of the source.',
    action: 'Check the address.',
  },
  // A bound that the SDK does not have.
  beingSlashed: {
    code: 101,
    text: 'the validator is being slashed: stake behind it cannot move until that is done, some minutes at most',
    cause: 'A large slash is spread over several blocks, and stake that moved meanwhile would escape it.',
    action: 'Try again in some minutes.',
  },
} as const

export const STAKING_ERRORS = errorTable(
  'staking',
  `Validators and delegations, as x/staking numbers them; from 101 on bounds that the SDK does not have. ${WORDS_COME_LAST}`,
  ENTRIES,
)

/** `detail` goes before the words of the code, as the SDK wraps its errors. */
export const stakingError = (kind: keyof typeof ENTRIES, detail = ''): CodedError => {
  const { code, text } = ENTRIES[kind]
  return new CodedError('staking', code, wrapWords(text, detail))
}

/** Codespace `slashing`, with the SDK's numbers and words. Its 2 and 6 are never seen: see modules/stake-errors.ts. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'
import { WORDS_COME_LAST, wrapWords } from '../sdk-errors.ts'

export const SLASHING_ERRORS = errorTable(
  'slashing',
  `Jailed validators, as x/slashing numbers them. ${WORDS_COME_LAST}`,
  {
    stillJailed: {
      code: 4,
      text: 'validator still jailed; cannot be unjailed',
      cause: 'The time in jail is not over, or the validator signed twice and is jailed for good.',
      action: 'Wait until `jailed_until` of `chain query slashing signing-info`. After double signing, use a new key.',
    },
    notJailed: {
      code: 5,
      text: 'validator not jailed; cannot be unjailed',
      cause: 'The validator is not in jail.',
      action: 'Nothing.',
    },
    selfDelegationTooLow: {
      code: 7,
      text: "validator's self delegation less than minimum; cannot be unjailed",
      cause: 'The operator has staked less with the validator than the minimum that it declared.',
      action: 'Delegate to the validator from the account of its operator first.',
    },
    noSigningInfo: {
      code: 8,
      text: 'no validator signing info found',
      cause: 'The consensus address has never been that of a validator.',
      action: 'Check the address.',
    },
    alreadyTombstoned: {
      code: 9,
      text: 'validator already tombstoned',
      cause: 'The consensus key has signed twice. It cannot validate again.',
      action: 'Use a new consensus key, with a new validator.',
    },
  },
)

export const slashingError = (kind: keyof typeof SLASHING_ERRORS.codes, message = ''): CodedError => {
  const { code, text } = SLASHING_ERRORS.entries[kind]
  return new CodedError('slashing', code, wrapWords(text, message))
}

/** Codespace `slashing`, with the SDK's numbers and words. Its 2 and 6 are never seen: see modules/stake-errors.ts. */
import { CodedError } from '../../core/errors.ts'

const SLASHING_CODES = {
  stillJailed: [4, 'validator still jailed; cannot be unjailed'],
  notJailed: [5, 'validator not jailed; cannot be unjailed'],
  selfDelegationTooLow: [7, "validator's self delegation less than minimum; cannot be unjailed"],
  noSigningInfo: [8, 'no validator signing info found'],
  alreadyTombstoned: [9, 'validator already tombstoned'],
} as const

export const slashingError = (kind: keyof typeof SLASHING_CODES, message = ''): CodedError => {
  const [code, words] = SLASHING_CODES[kind]
  return new CodedError('slashing', code, message === '' ? words : `${message}: ${words}`)
}

/** What the modules around staking say of who is not there: x/staking's codes and words, which the SDK hands on. */
import { CodedError } from '../core/errors.ts'

/** The entries of codespace `staking` that more modules than staking answer with: staking/errors.ts has the others. */
export const SHARED_STAKING_ENTRIES = {
  noValidator: {
    code: 3,
    text: 'validator does not exist',
    cause: 'No validator has that operator address.',
    action: 'Check the address: operators have the prefix `natvaloper`.',
  },
  noDelegation: {
    code: 19,
    text: 'no delegation for (address, validator) tuple',
    cause: 'The account has no delegation to that validator.',
    action: 'Check both addresses.',
  },
} as const

const sharedError = (kind: keyof typeof SHARED_STAKING_ENTRIES): CodedError => {
  const { code, text } = SHARED_STAKING_ENTRIES[kind]
  return new CodedError('staking', code, text)
}

/** staking/3. */
export const unknownValidator = (): CodedError => sharedError('noValidator')

/** staking/19. */
export const unknownDelegation = (): CodedError => sharedError('noDelegation')

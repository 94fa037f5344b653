/** What the modules around staking say of who is not there: x/staking's codes and words, which the SDK hands on. */
import { CodedError } from '../core/errors.ts'

/** staking/3. */
export const unknownValidator = (): CodedError => new CodedError('staking', 3, 'validator does not exist')

/** staking/19. */
export const unknownDelegation = (): CodedError =>
  new CodedError('staking', 19, 'no delegation for (address, validator) tuple')

/** The check of a denomination that a message or a genesis names. */
import { isDenom } from '../../core/denom.ts'
import { invalidDenom } from './errors.ts'

/** Throws sdk/10. */
export const checkDenom = (denom: string): string => {
  if (!isDenom(denom)) throw invalidDenom(denom)
  return denom
}

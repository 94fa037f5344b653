/** Denominations as the Cosmos SDK allows them. */
import { invalidDenom } from './errors.ts'

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/

export const isDenom = (denom: string): boolean => DENOM.test(denom)

/** Throws sdk/10. */
export const checkDenom = (denom: string): string => {
  if (!isDenom(denom)) throw invalidDenom(denom)
  return denom
}

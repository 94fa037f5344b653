/** Denominations as the Cosmos SDK allows them. */

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/

export const isDenom = (denom: string): boolean => DENOM.test(denom)

/** Parameters of the order book: defaults, and what each may be. docs/clob-spec.md, State and Decisions. */
import { MAX_QUEUE_WEIGHT } from './domain/queue.ts'
import type { ClobParameters } from './domain/settings.ts'
import { MAX_FILLS } from './orders/fields.ts'

const KIB = 1_024

export const DEFAULT_CLOB_PARAMETERS: ClobParameters = {
  extensionBudgetBytes: 512 * KIB,
  minAgeMs: 50,
  bucketMs: 10,
  blockWeight: 40_000,
  maxActions: 400,
  maxOpenOrders: 500,
  maxTriggers: 500,
  triggerWeight: 5_000,
  contractWeight: 5_000,
  maxRemovals: 2_000,
}

interface Bounds {
  readonly least: number
  readonly most: number
}

/** The bounds in the order in which state holds the parameters. */
export const PARAMETER_BOUNDS: Readonly<Record<keyof ClobParameters, Bounds>> = {
  // Below 64 KiB a few dozen validators already have the smallest cap there is.
  extensionBudgetBytes: { least: 64 * KIB, most: 1_024 * KIB },
  // One that is older than the spread of gossip by seconds would make orders wait for nothing.
  minAgeMs: { least: 0, most: 5_000 },
  bucketMs: { least: 1, most: 1_000 },
  // Below four of the heaviest transactions the quotas of the phases hold none; above, a block takes too long.
  blockWeight: { least: 4_000, most: 40_000 },
  // One ClobTx has up to 50 actions.
  maxActions: { least: 50, most: 10_000 },
  maxOpenOrders: { least: 1, most: 5_000 },
  maxTriggers: { least: 0, most: 500 },
  // Below the greatest of one order such an order, the first of all, would hold all behind it up for ever.
  triggerWeight: { least: MAX_FILLS, most: 5_000 },
  contractWeight: { least: 0, most: MAX_QUEUE_WEIGHT },
  // None at all would keep the coins of dead orders in escrow until somebody meets them.
  maxRemovals: { least: 1, most: 2_000 },
}

export const PARAMETER_NAMES = Object.keys(PARAMETER_BOUNDS) as readonly (keyof ClobParameters)[]

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Why the parameters cannot be, in words, or undefined. */
export const parametersFault = (parameters: ClobParameters): string | undefined => {
  for (const name of PARAMETER_NAMES) {
    const { least, most } = PARAMETER_BOUNDS[name]
    const value = parameters[name]
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      return `${snakeCase(name)} must be between ${least} and ${most}, not ${value}`
    }
  }
  return undefined
}

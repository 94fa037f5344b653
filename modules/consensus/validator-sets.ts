/** Validator sets by the height from which they are in force. */
import { bytesToKey } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { ValidatorUpdate } from '../module.ts'

/** A set in force from a height until the next entry's. Sorted by public key, so that all nodes agree. */
export interface ValidatorSetEntry {
  readonly fromHeight: number
  readonly validators: readonly ValidatorUpdate[]
}

export const applyUpdates = (
  validators: readonly ValidatorUpdate[],
  updates: readonly ValidatorUpdate[],
): readonly ValidatorUpdate[] => {
  const byKey = new Map(validators.map((validator) => [bytesToKey(validator.publicKey), validator]))
  for (const update of updates) {
    const key = bytesToKey(update.publicKey)
    if (update.power === 0n) invariant(byKey.delete(key), 'a validator that is removed must be in the set')
    else byKey.set(key, update)
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, validator]) => validator)
}

/**
 * The sets after block `height` gave `updates`, which act from height + 2 on. Kept are those that the votes of block
 * `height` (seen in the next block) and later ones need.
 */
export const rotateSets = (
  entries: readonly ValidatorSetEntry[],
  height: number,
  updates: readonly ValidatorUpdate[],
): readonly ValidatorSetEntry[] => {
  const newest = entries.at(-1)
  invariant(newest !== undefined, 'there is no validator set')
  const grown =
    updates.length === 0
      ? entries
      : [...entries, { fromHeight: height + 2, validators: applyUpdates(newest.validators, updates) }]
  return grown.filter((_, index) => {
    const next = grown[index + 1]
    return next === undefined || next.fromHeight > height
  })
}

/**
 * The sets once the first block of a chain is done: the newest one alone, for CometBFT's genesis knows no other. Only a
 * chain that begins with an export has more.
 */
export const setsAtStart = (
  entries: readonly ValidatorSetEntry[],
  initialHeight: number,
): readonly ValidatorSetEntry[] => {
  const newest = entries.at(-1)
  invariant(newest !== undefined, 'there is no validator set')
  return [{ ...newest, fromHeight: Math.min(newest.fromHeight, initialHeight) }]
}

/** The set in force at `height`. */
export const setAt = (entries: readonly ValidatorSetEntry[], height: number): readonly ValidatorUpdate[] => {
  const entry = entries.findLast((candidate) => candidate.fromHeight <= height)
  invariant(entry !== undefined, `no validator set is known for height ${height}`)
  return entry.validators
}

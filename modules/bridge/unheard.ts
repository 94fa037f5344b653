/**
 * Validators whose votes brought a signature that adds nothing. To look at one costs every node a recovery of a public key, and a vote is free: they
 * are not heard again for a while. An honest one is among them only where its key left the set between its vote and the block.
 */
import { bytesToKey, compareBytes } from '../../core/bytes.ts'

export interface Unheard {
  /** CometBFT's address of the validator. */
  readonly validator: Uint8Array
  /** It is heard again from this block on. */
  readonly until: number
}

/** A validator costs at most two recoveries in so many blocks, and one that made a mistake once waits no longer. */
export const UNHEARD_BLOCKS = 100
/** More than there can be validators (1,000). The longest unheard are forgotten first. */
export const MAX_UNHEARD = 2_048

/** A chain that begins anew from an export may begin at a lower height: what it notes of the former one holds for no longer either. */
const isStill = ({ until }: Unheard, height: number): boolean => until > height && until <= height + UNHEARD_BLOCKS

/** The validators that are not heard at a height, as keys (`bytesToKey`). */
export const unheardAt = (unheard: readonly Unheard[], height: number): ReadonlySet<string> =>
  new Set(unheard.flatMap((each) => (isStill(each, height) ? bytesToKey(each.validator) : [])))

/** Adds validators at a height, and forgets those that are heard again. The list is by block, and by address within one. */
export const addUnheard = (
  before: readonly Unheard[],
  validators: readonly Uint8Array[],
  height: number,
): readonly Unheard[] => {
  const added = new Map(validators.map((validator) => [bytesToKey(validator), validator]))
  const fresh = [...added.values()]
    .sort(compareBytes)
    .map((validator): Unheard => ({ validator, until: height + UNHEARD_BLOCKS }))
  return [...before.filter((each) => isStill(each, height)), ...fresh].slice(-MAX_UNHEARD)
}

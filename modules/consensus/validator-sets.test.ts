import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../core/hex.ts'
import { InvariantError } from '../../core/errors.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { seeded } from '../../test/sim/random.ts'
import type { ValidatorUpdate } from '../module.ts'
import { readValidators, readValidatorSets, writeValidatorSets } from './keeper.ts'
import { applyUpdates, rotateSets, setAt, type ValidatorSetEntry } from './validator-sets.ts'

const KEYS = Array.from({ length: 8 }, (_, index) => new Uint8Array(32).fill(40 - index))

const show = (validators: readonly ValidatorUpdate[]): string[] =>
  validators.map(({ publicKey, power }) => `${bytesToHex(publicKey)} ${power}`)

describe('the sets of validators', () => {
  it(
    'hold at every height what the updates of two heights before and earlier made, for the votes that are still to come',
    seeded(90, (random) => {
      const [first = new Uint8Array(32)] = KEYS
      /** The set of every height, kept for ever. */
      const history = new Map<number, Map<string, bigint>>()
      const genesis = new Map([[bytesToHex(first), 10n]])
      for (const height of [7, 8]) history.set(height, genesis)
      let entries: readonly ValidatorSetEntry[] = [{ fromHeight: 7, validators: [{ publicKey: first, power: 10n }] }]
      for (let height = 7; height < 200; height++) {
        const newest = new Map(history.get(height + 1))
        const updates: ValidatorUpdate[] = []
        for (const publicKey of random.chance(30) ? KEYS.filter(() => random.chance(30)) : []) {
          const key = bytesToHex(publicKey)
          const remove = newest.has(key) && newest.size > 1 && random.chance(50)
          const power = remove ? 0n : BigInt(1 + random.below(50))
          updates.push({ publicKey, power })
          if (remove) newest.delete(key)
          else newest.set(key, power)
        }
        history.set(height + 2, newest)
        entries = rotateSets(entries, height, updates)
        // Block height + 1 checks the votes of this height; CometBFT votes with the two sets after it.
        for (const at of [height, height + 1, height + 2]) {
          const expected = [...(history.get(at) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
          expect(show(setAt(entries, at)), `height ${at} after ${height}`).toEqual(
            expected.map(([key, power]) => `${key} ${power}`),
          )
        }
        expect(entries.length).toBeLessThanOrEqual(3)
      }
    }),
  )

  it('refuse to remove a stranger, and to speak of heights that are gone', () => {
    const [one = new Uint8Array(32), other = new Uint8Array(32)] = KEYS
    const set = [{ publicKey: one, power: 1n }]
    expect(() => applyUpdates(set, [{ publicKey: other, power: 0n }])).toThrow(InvariantError)
    expect(() => setAt([{ fromHeight: 5, validators: set }], 4)).toThrow(InvariantError)
    expect(() => rotateSets([], 4, [])).toThrow(InvariantError)
  })

  it('are read from state as they were written', () => {
    const state = new Overlay(new LatestState(openMemoryStore(), 100))
    const entries = [
      { fromHeight: 1, validators: KEYS.map((publicKey, index) => ({ publicKey, power: 2n ** BigInt(index * 9) })) },
      { fromHeight: 2 ** 40, validators: [] },
    ]
    writeValidatorSets(state, entries)
    expect(readValidatorSets(state)).toEqual(entries)
    expect(readValidators(state, 2 ** 39)).toEqual(entries[0]?.validators)
  })
})

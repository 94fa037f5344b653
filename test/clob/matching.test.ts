/**
 * The slow model of matching against the engine, block after block over real state, from one seed after another. SEED repeats one;
 * CLOB_SEEDS says how many (2,000), CLOB_FIRST_SEED where they begin.
 */
import { describe, expect, it } from 'vitest'
import { compareRun, findDifference } from './differential.ts'
import { floorRun, memoryRun } from './directed.ts'
import { makeRun, modelStep, type Run } from './runs.ts'

const BLOCKS = 12
const SEEDS = Number(process.env['CLOB_SEEDS'] ?? 2_000)
const FIRST_SEED = Number(process.env['CLOB_FIRST_SEED'] ?? 1)
const given = process.env['SEED']

const seeds =
  given === undefined || given === '' ? Array.from({ length: SEEDS }, (_, at) => FIRST_SEED + at) : [Number(given)]

/** The model's codes of all actions and transactions of a run, by block. */
const codesOf = (run: Run): readonly (readonly string[])[] => {
  let world = run.world
  return run.blocks.map((block) => {
    const { outcome } = modelStep(world, block)
    world = outcome.world
    return outcome.results
      .flatMap(({ code, actions }) => [code, ...actions.map((action) => action.code)])
      .filter(Boolean)
  })
}

describe('the engine of the order book', () => {
  it(`does what the model does, with ${seeds.length} seeds from ${seeds[0]} on`, () => {
    for (const seed of seeds) expect(findDifference(makeRun(seed, BLOCKS)), `SEED=${seed}`).toBeUndefined()
  })

  it('keeps sixteen floors of an account, and no more', () => {
    const run = floorRun()
    expect(compareRun(run)).toBeUndefined()
    expect(codesOf(run)).toEqual([[], ['floors', 'floors'], ['notOpen'], [], [], []])
  })

  it('remembers nonces and marks for forty blocks', () => {
    const run = memoryRun()
    expect(compareRun(run)).toBeUndefined()
    expect(codesOf(run)).toEqual([['notOpen', 'notOpen'], ['marked'], [], ['nonceUsed', 'marked'], []])
  })
})

/** A validator under load is killed at every step of its work, and each time goes on with the blocks of a node that never failed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BLOCK_STEPS } from '../../app/environment.ts'
import { BACKGROUND_STEPS } from '../../bin/node/runtime/kill-point.ts'
import { accounts } from '../e2e/clients.ts'
import { until } from '../e2e/harness.ts'
import { type Load, startLoad, withoutReceipt } from '../e2e/load.ts'
import { createPair, expectSameBlocks, type Pair } from './pair.ts'

const BLOCKS_AFTER = 20
const EVERY_MS = 60
/** CometBFT's own points of persistence in one height. */
const FAIL_POINTS = 10
const LIMIT_MS = 60_000
/** Prunes and makes snapshots all the time. */
const SETTINGS = {
  pruning: 'custom',
  'pruning-keep-recent': '50',
  'pruning-interval': '10',
  'min-retain-blocks': '40',
  'state-sync.snapshot-interval': '5',
}

let pair: Pair
let load: Load
/** Blocks up to here were compared. */
let compared = 1

/** Starts with a variable in the node's environment, which its children see too. */
const startWith = (name: string, value: string): void => {
  process.env[name] = value
  pair.victim.spawn()
  delete process.env[name]
}

const expectGoesOn = async (): Promise<void> => {
  const { victim } = pair
  await victim.start()
  const first = await victim.height()
  const last = await victim.untilHeight(first + BLOCKS_AFTER, LIMIT_MS)
  await expectSameBlocks(pair, compared, last)
  compared = last
}

beforeAll(async () => {
  pair = await createPair({ timeoutCommitMs: 100, settings: SETTINGS })
  await pair.victim.start()
  await pair.witness.start()
  load = await startLoad(pair.victim, accounts.slice(0, 4), EVERY_MS)
  await until('answers to the load', () => (load.answered.size >= 8 ? true : undefined))
}, LIMIT_MS)
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the victim wrote last:\n${pair.victim.lastWords()}`)
})
afterAll(async () => {
  await load?.stop()
  await pair?.victim.remove()
  await pair?.witness.remove()
})

describe('a node killed', () => {
  it.each([...BLOCK_STEPS, ...BACKGROUND_STEPS])('at %s', async (step) => {
    await pair.victim.stop('SIGTERM')
    startWith('CHAIN_KILL_AT', `${step}:4`)
    const killed = (): true | undefined => (pair.victim.output.includes(`killed at ${step}`) ? true : undefined)
    await until('its end', killed, LIMIT_MS)
    // Started again, it would be killed again.
    await pair.victim.stop('SIGKILL')
    await expectGoesOn()
  })

  it.each(Array.from({ length: FAIL_POINTS }, (_, index) => index))('by CometBFT at its point %i', async (index) => {
    await pair.victim.stop('SIGTERM')
    startWith('FAIL_TEST_INDEX', String(index))
    const ended = (): true | undefined => (/cometbft (exited|was ended)/.test(pair.victim.output) ? true : undefined)
    await until('the end of CometBFT', ended, LIMIT_MS)
    await pair.victim.stop('SIGKILL')
    await expectGoesOn()
  })

  it('has lost no transaction that it answered', async () => {
    await load.stop()
    expect(load.refusals).toEqual([])
    expect(load.answered.size).toBeGreaterThan(100)
    expect(await withoutReceipt(pair.witness, load.answered)).toEqual([])
  })
})

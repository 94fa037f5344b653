/** Every process of a node is killed at random moments under load; nothing that was answered or committed is lost. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts } from '../e2e/clients.ts'
import { isAlive, type Part, until } from '../e2e/harness.ts'
import { type Load, startLoad, withoutReceipt } from '../e2e/load.ts'
import { Random } from '../sim/random.ts'
import { createPair, expectSameBlocks, type Pair } from './pair.ts'

const KILLS = Number(process.env['SOAK_KILLS'] ?? 200)
const SEED = Number(process.env['SOAK_SEED'] ?? 20_261_121)
const EVERY_MS = 40
const MOST_WAIT_MS = 1_500
const LIMIT_MS = 60_000
/** Blocks are compared this often, so that a difference is found near its cause. */
const COMPARE_EVERY = 10
const PARTS: readonly Part[] = ['supervisor', 'application', 'gateway', 'cometbft']

let pair: Pair
let load: Load

beforeAll(async () => {
  pair = await createPair({ timeoutCommitMs: 200 })
  await pair.victim.start()
  await pair.witness.start()
  load = await startLoad(pair.victim, accounts.slice(0, 4), EVERY_MS)
  await until('answers to the load', () => (load.answered.size >= 8 ? true : undefined))
}, LIMIT_MS)
afterAll(async () => {
  await load?.stop()
  await pair?.victim.remove()
  await pair?.witness.remove()
})

/** Whether the node ended because a part died too often in a row; false once it has started another one. */
const gaveUp = (part: 'application' | 'cometbft'): Promise<boolean> => {
  const { victim } = pair
  const { pid } = victim
  const decided = (): boolean | undefined => {
    if (!isAlive(pid)) return true
    return victim.isRunning(part) ? false : undefined
  }
  return until(`${part} again, or the end of the node`, decided, LIMIT_MS)
}

const killOne = async (random: Random): Promise<Part> => {
  const { victim } = pair
  const part = random.pick(PARTS)
  // The moment is random on purpose: there is no event to wait for.
  await sleep(random.below(MOST_WAIT_MS))
  const before = await until('the height', () => victim.height(), LIMIT_MS)
  // Killed a moment ago, it may not have been started again yet.
  const pid = await until(`the process of ${part}`, () => victim.kill(part), LIMIT_MS)
  if (part === 'supervisor') {
    await until('its end', () => (isAlive(pid) ? undefined : true))
    await victim.stop()
    await victim.start()
  } else if (part !== 'gateway' && (await gaveUp(part))) {
    // The node gives up, as it should when the part dies again and again.
    expect(await victim.stop()).toBe(1)
    await victim.start()
  }
  await victim.untilHeight(before + 1, LIMIT_MS)
  return part
}

describe(`${KILLS} kills (SOAK_SEED=${SEED})`, () => {
  it('lose no block that was shown and no transaction that was answered', async () => {
    const random = new Random(SEED)
    const counts = new Map<Part, number>()
    let compared = 1
    for (let kill = 1; kill <= KILLS; kill++) {
      const part = await killOne(random).catch((error: unknown) => {
        console.log(`kill ${kill}: the victim wrote last:\n${pair.victim.lastWords()}`)
        throw error
      })
      counts.set(part, (counts.get(part) ?? 0) + 1)
      if (kill % COMPARE_EVERY !== 0) continue
      const height = await pair.victim.height()
      await expectSameBlocks(pair, compared, height)
      console.log(`kill ${kill}: height ${height}, ${load.answered.size} transactions answered, equal so far`)
      compared = height
    }
    await load.stop()
    expect(load.refusals).toEqual([])
    expect(await withoutReceipt(pair.witness, load.answered)).toEqual([])
    console.log(`killed: ${JSON.stringify(Object.fromEntries(counts))}; ${load.answered.size} transactions, none lost`)
  })
})

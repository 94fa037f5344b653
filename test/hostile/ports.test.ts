/**
 * Every attack on the open ports in a short form, one after the other on one node with its default settings: the node
 * says to each what is documented, and goes on. How long honest clients wait is measured by `make soak SOAK=ports`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useNode } from '../e2e/harness.ts'
import { nowMs, type Prepared, Tally } from './ports/attack.ts'
import { ATTACKS } from './ports/attack-list.ts'
import { askHonestly, type HonestSample } from './ports/honest.ts'
import { prepareBlocks } from './ports/prepare.ts'
import { ALL_PORTS, askPorts, memoryOf, partsOf, targetOf } from './ports/watch.ts'

const ATTACK_MS = 1_000
const SCALE = 0.04
/** Ends what hangs; nothing is asserted of how long an answer takes. */
const HONEST_LIMIT_MS = 60_000
/** A busy machine takes longer than a quiet one. */
const PORT_LIMIT_MS = 20_000
/** Megabytes right at the end: some 150 and 300 at rest, and workers and caches that attacks have filled. */
const MOST_GATEWAY_MB = 900
const MOST_APPLICATION_MB = 2_500

const node = useNode()
const failures: HonestSample[] = []
const stop = new AbortController()
let [prepared, answered]: [Prepared | undefined, number] = [undefined, 0]
let honest: Promise<void> = Promise.resolve()
let parts: Readonly<Record<string, number>> = {}

beforeAll(async () => {
  parts = partsOf(node())
  prepared = await prepareBlocks(targetOf(node()), SCALE)
  const tell = (sample: HonestSample): void => {
    if (sample.failure === undefined) answered++
    else failures.push(sample)
  }
  honest = askHonestly(node().urls.http, { limitMs: HONEST_LIMIT_MS, signal: stop.signal, tell })
})
afterAll(async () => {
  stop.abort()
  await honest
})

describe('an attack on open ports from one client', () => {
  for (const { name, run, outcomes, refusal } of ATTACKS) {
    it(`${name}`, async () => {
      if (prepared === undefined) throw new TypeError('the blocks were made')
      const before = await node().height()
      const tally = new Tally()
      const target = targetOf(node())
      await run({ target, prepared, scale: SCALE, tally, untilMs: nowMs() + ATTACK_MS })
      const surprises = [...tally.counts].filter(([word]) => !outcomes.test(word))
      expect(surprises).toEqual([])
      expect(tally.counts.size).toBeGreaterThan(0)
      if (refusal !== undefined) expect([...tally.counts.keys()].join('\n')).toMatch(new RegExp(refusal, 'm'))
      expect(await askPorts(target, PORT_LIMIT_MS)).toEqual(ALL_PORTS)
      expect(partsOf(node())).toEqual(parts)
      expect(failures.splice(0)).toEqual([])
      expect(await node().untilHeight(before + 1)).toBeGreaterThan(before)
    })
  }

  it('leaves the honest client answered and memory bounded', async () => {
    const before = answered
    await expect.poll(() => answered).toBeGreaterThan(before + 3)
    expect(failures.splice(0)).toEqual([])
    const { gateway = 0, application = 0, others = 0 } = memoryOf(node())
    expect(gateway).toBeLessThan(MOST_GATEWAY_MB)
    expect(application + others).toBeLessThan(MOST_APPLICATION_MB)
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import { checkCallSequence } from '../../abci/testing/grammar.ts'
import { accounts } from './clients.ts'
import { expectConsistentHeights } from './consistency.ts'
import { descendants, isAlive, until, useNode } from './harness.ts'
import { type Load, startLoad, withoutReceipt } from './load.ts'

const TIMES = [1, 2, 3]
const SENDERS = accounts.slice(0, 4)
const EVERY_MS = 40

const node = useNode({ timeoutCommitMs: 300, isRecorded: true })
let load: Load | undefined

const startNodeLoad = async (): Promise<Load> => {
  load = await startLoad(node(), SENDERS, EVERY_MS)
  return load
}

/** Some transactions more are answered. */
const moreAnswers = async ({ answered }: Load, count: number): Promise<void> => {
  const wanted = answered.size + count
  await until(`${wanted} answers`, () => (answered.size >= wanted ? true : undefined))
}

const expectNothingLost = async (finished: Load): Promise<void> => {
  await finished.stop()
  expect(finished.refusals).toEqual([])
  expect(finished.answered.size).toBeGreaterThan(20)
  expect(await withoutReceipt(node(), finished.answered)).toEqual([])
}

afterEach(async () => await load?.stop())

describe('under load', () => {
  it('a killed supervisor takes its children along, and a second start goes on and has lost nothing', async () => {
    const running = await startNodeLoad()
    for (const time of TIMES) {
      await moreAnswers(running, 20)
      const family = await until('four children', () => {
        const pids = [...descendants(node().pid).keys()]
        return pids.length === 4 ? pids : undefined
      })
      const before = await node().height()
      node().kill('supervisor')
      expect(await node().stop()).toBe('SIGKILL')
      const ended = (): true | undefined => (family.some(isAlive) ? undefined : true)
      await until('the end of its children', ended)
      await node().start()
      expect(await node().height(), `start ${time}`).toBeGreaterThanOrEqual(before)
      await node().untilHeight(before + 3)
    }
    await moreAnswers(running, 10)
    await expectNothingLost(running)
  })

  it('a killed application is started again together with its CometBFT, and has lost nothing', async () => {
    const running = await startNodeLoad()
    const { pid } = node()
    for (const time of TIMES) {
      await moreAnswers(running, 20)
      const before = await node().height()
      const others = [node().pidOf('gateway'), node().pidOf('cometbft')]
      const killed = node().kill('application')
      await node().untilHeight(before + 3)
      expect(node().pidOf('application'), `application ${time}`).not.toBe(killed)
      expect([node().pidOf('gateway') === others[0], node().pidOf('cometbft') === others[1]]).toEqual([true, false])
    }
    expect(node().pid).toBe(pid)
    await moreAnswers(running, 10)
    await expectNothingLost(running)
  })

  it('a killed gateway is started again while the chain goes on', async () => {
    const running = await startNodeLoad()
    for (const time of TIMES) {
      await moreAnswers(running, 20)
      const before = await node().height()
      const killed = node().kill('gateway')
      await node().untilHeight(before + 2)
      expect(node().pidOf('gateway'), `gateway ${time}`).not.toBe(killed)
    }
    await expectNothingLost(running)
  })

  it('a killed CometBFT is started again and the chain goes on', async () => {
    const running = await startNodeLoad()
    for (const time of TIMES) {
      await moreAnswers(running, 20)
      const before = await node().height()
      const killed = node().kill('cometbft')
      await node().untilHeight(before + 3)
      expect(node().pidOf('cometbft'), `cometbft ${time}`).not.toBe(killed)
    }
    await expectNothingLost(running)
  })
})

describe('after all that', () => {
  it('the two chains agree on every height', async () => {
    const last = await node().height()
    await expectConsistentHeights(node(), 1, last)
  })

  it('what CometBFT called follows the grammar of ABCI', () => {
    const calls = node().calls()
    expect(calls.filter(({ method }) => method === 'info').length).toBeGreaterThanOrEqual(7)
    expect(calls.filter(({ method }) => method === 'finalizeBlock').length).toBeGreaterThan(20)
    expect(checkCallSequence(calls)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import type { Asker } from '../../../app/ports.ts'
import { ConsensusQuestions } from './consensus-questions.ts'
import { withAskers } from './current-asker.ts'

interface Gone {
  readonly asker: Asker
  leave(): void
}

const askerOf = (connection: string, client = '127.0.0.1'): Gone => {
  let leave = (): void => undefined
  const onGone: Asker['onGone'] = (listener) => {
    leave = listener
    return () => {
      leave = () => undefined
    }
  }
  return { asker: { client, connection, onGone }, leave: () => leave() }
}

/** Asks as the connection does. */
const runAs = async (asker: Asker, run: () => Promise<string>): Promise<string> => {
  const application = withAskers({ ask: run, askText: run, askEncoded: run, subscribe: () => () => undefined })
  return await application.ask('syncing', {}, 0, asker)
}

describe('questions to CometBFT', () => {
  it('are asked a few at once, and connections take turns', async () => {
    const questions = new ConsensusQuestions()
    const order: string[] = []
    const open: (() => void)[] = []
    const ask = (name: string) => (): Promise<string> => {
      order.push(name)
      return new Promise((resolve) => {
        open.push(() => resolve(name))
      })
    }
    const greedy = askerOf('greedy').asker
    const answers = Array.from({ length: 40 }, (_, index) => runAs(greedy, () => questions.run(ask(`greedy ${index}`))))
    answers.push(runAs(askerOf('other').asker, () => questions.run(ask('other'))))
    await Promise.resolve()
    expect(order).toHaveLength(8)
    while (order.length < 41 || open.length > 0) {
      open.shift()?.()
      await new Promise(setImmediate)
    }
    await Promise.all(answers)
    expect(order.indexOf('other')).toBeLessThanOrEqual(9)
  })

  it('of a kind that takes long have a line of their own', async () => {
    const searches = new ConsensusQuestions(1)
    let [underway, most] = [0, 0]
    const search = async (): Promise<void> => {
      most = Math.max(most, ++underway)
      await new Promise(setImmediate)
      underway--
    }
    await Promise.all(Array.from({ length: 5 }, () => searches.run(search)))
    expect([underway, most]).toEqual([0, 1])
  })

  it('are not asked for one who has gone, and a failure gives its place back', async () => {
    const questions = new ConsensusQuestions()
    const asked: string[] = []
    let failAll = (): void => undefined
    const failing = new Promise<string>((_, reject) => {
      failAll = () => reject(new Error('away'))
    })
    const first = Array.from({ length: 8 }, () => questions.run(() => failing))
    const { asker, leave } = askerOf('gone')
    const late = runAs(asker, () =>
      questions.run(async () => {
        asked.push('late')
        return 'late'
      }),
    )
    leave()
    await expect(late).rejects.toThrow('nobody waits')
    failAll()
    for (const each of first) await expect(each).rejects.toThrow('away')
    expect(await questions.run(async () => 'next')).toBe('next')
    expect(asked).toEqual([])
  })

  it('of one client do not take the places of others, and one who has gone before asks nothing', async () => {
    const questions = new ConsensusQuestions()
    const open: (() => void)[] = []
    const ask = (): Promise<string> => new Promise((resolve) => open.push(() => resolve('answer')))
    const { asker: greedy } = askerOf('many')
    const taken = Array.from({ length: 2_008 }, () => runAs(greedy, () => questions.run(ask)))
    await expect(runAs(askerOf('one more').asker, () => questions.run(ask))).rejects.toMatchObject({ code: 5 })
    const other = runAs(askerOf('other', '192.0.2.1').asker, () => questions.run(ask))
    const gone: Asker = {
      client: '192.0.2.2',
      connection: 'gone',
      onGone: (listener) => {
        listener()
        return () => undefined
      },
    }
    await expect(runAs(gone, () => questions.run(ask))).rejects.toThrow('nobody waits')
    const thrown = runAs(askerOf('throws', '192.0.2.3').asker, () =>
      questions.run(() => {
        throw new Error('at once')
      }),
    ).catch(String)
    let answered = 0
    for (const each of [...taken, other]) void each.then(() => answered++)
    while (answered < 2_009) {
      for (const answer of open.splice(0)) answer()
      await new Promise(setImmediate)
    }
    expect(await thrown).toBe('Error: at once')
    expect(await runAs(greedy, () => questions.run(async () => 'after all'))).toBe('after all')
  })
})

/** Real workers over a database without a chain: who gets an answer of which kind, and in which order. */
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Text, textToString } from '../../../core/text.ts'
import type { Asker, QueryApplication, Questions } from '../../../app/ports.ts'
import { APPLICATION_DEFAULTS } from '../../../app/settings.ts'
import { openRocksStore } from '../../../store/rocks/rocks-store.ts'
import { withAskers } from './current-asker.ts'
import { type HeavyPool, startHeavyQuestions } from './heavy-questions.ts'

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }
const BLOCK = { tag: 'latest' } as const
/** Deeper than V8 copies between threads. */
const DEPTH = 5_000
/** The database is empty: a worker that took a question says so. */
const ANSWERED = /a question before the chain has begun/

const nested = (): unknown => {
  let value: unknown = []
  for (let depth = 0; depth < DEPTH; depth++) value = [value]
  return value
}

const withPool = async (use: (pool: HeavyPool) => Promise<void>, maxWaitMs = 30_000): Promise<void> => {
  const path = mkdtempSync(join(tmpdir(), 'heavy-'))
  const store = await openRocksStore({ path, cacheBytes: 1_048_576 })
  const options = { settings: APPLICATION_DEFAULTS, log: LOG, workers: 1, maxWaitMs }
  const pool = startHeavyQuestions({ handle: store.handle, ...options })
  try {
    await use(pool)
  } finally {
    await pool.close()
    store.close()
    await store.closed
    rmSync(path, { recursive: true })
  }
}

const asker = (client: string): Asker & { leave(): void } => {
  const ending = new EventEmitter()
  return {
    client,
    connection: '1',
    onGone: (listener) => {
      ending.once('gone', listener)
      return () => ending.off('gone', listener)
    },
    leave: () => void ending.emit('gone'),
  }
}

const applicationOf = (pool: HeavyPool) => {
  const askText: QueryApplication['askText'] = async (name, parameters, head) => {
    await Promise.resolve()
    return pool.run(name, parameters, head, [])
  }
  return withAskers({
    askEncoded: (name, parameters, head) => pool.run(name, parameters, head, []),
    ask: async (name, parameters, head) => textToString(await askText(name, parameters, head)),
    askText,
    subscribe: () => () => undefined,
  })
}

it('a question that cannot be handed to a worker is refused, whoever waits before and behind it', async () => {
  await withPool(async (pool) => {
    const ask = (question: unknown): Promise<Text> => pool.run('call', question as Questions['call'], 1, [])
    const [first, second, third] = await Promise.allSettled([
      ask({ block: BLOCK, call: {} }),
      ask({ block: BLOCK, call: { data: nested() } }),
      ask({ block: BLOCK, call: {} }),
    ])
    expect(first).toMatchObject({ reason: { message: expect.stringMatching(ANSWERED) } })
    expect(second).toMatchObject({ reason: { codespace: 'query', message: 'the question is nested too deeply' } })
    expect(third).toMatchObject({ reason: { message: expect.stringMatching(ANSWERED) } })
  })
})

it('answers clients by turns, also where a question is handed over after others were awaited', async () => {
  await withPool(async (pool) => {
    const application = applicationOf(pool)
    const answered: string[] = []
    const ask = async (client: string): Promise<void> => {
      const question = application.ask('call', { block: BLOCK, call: {} }, 1, asker(client))
      await Promise.resolve(question).catch(() => undefined)
      answered.push(client)
    }
    await Promise.all([...Array.from({ length: 100 }, () => ask('greedy')), ask('honest'), ask('honest')])
    expect(answered).toHaveLength(102)
    // The one that asks first is taken first. Then it has used more than who has used nothing.
    expect(answered.indexOf('honest')).toBeLessThan(4)
  })
})

it('what nobody waits for is not handed to a worker', async () => {
  await withPool(async (pool) => {
    const application = applicationOf(pool)
    const gone = asker('gone')
    const ask = (who: Asker) => Promise.resolve(application.ask('call', { block: BLOCK, call: {} }, 1, who))
    // Workers are not there yet: all wait.
    const left = Promise.allSettled(Array.from({ length: 100 }, () => ask(gone)))
    const stays = ask(asker('honest'))
    await Promise.resolve()
    await Promise.resolve()
    gone.leave()
    await expect(stays).rejects.toThrow(ANSWERED)
    for (const one of await left)
      expect(one).toMatchObject({ reason: { message: expect.stringMatching(/nobody waits/) } })
    expect(pool.counts).toMatchObject({ begun: 1, cancelled: 100 })
  })
})

it('keeps nothing of questions that were answered, refused, cancelled, or waited too long', async () => {
  const ask = async (pool: HeavyPool): Promise<readonly string[]> => {
    const application = applicationOf(pool)
    const gone = asker('gone')
    const questions = [asker('one'), asker('two'), gone].flatMap((who) =>
      (['call', 'traceCall'] as const).map((name) =>
        application.ask(name, { block: BLOCK, call: {} } as Questions['call'] & Questions['traceCall'], 1, who),
      ),
    )
    const settled = Promise.allSettled(questions)
    // The worker still loads: nothing has begun.
    setImmediate(() => gone.leave())
    const outcomes = await settled
    return outcomes.map((one) => (one.status === 'rejected' ? String((one.reason as Error).message) : 'answered'))
  }
  await withPool(async (pool) => {
    expect((await ask(pool)).filter((text) => ANSWERED.test(text))).toHaveLength(4)
    await expect.poll(() => pool.load).toMatchObject({ waiting: 0, running: 0, connections: 0 })
  })
  await withPool(async (pool) => {
    expect((await ask(pool)).filter((text) => text.includes('waited too long'))).toHaveLength(4)
    expect(pool.load).toMatchObject({ waiting: 0, running: 0, connections: 0 })
  }, -1)
})

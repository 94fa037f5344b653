import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Questions } from '../../../app/ports.ts'
import { APPLICATION_DEFAULTS } from '../../../app/settings.ts'
import { openRocksStore } from '../../../store/rocks/rocks-store.ts'
import { withClients } from './asking-client.ts'
import { startHeavyQuestions } from './heavy-questions.ts'

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }
const BLOCK = { tag: 'latest' } as const
/** Deeper than V8 copies between threads. */
const DEPTH = 5_000

const nested = (): unknown => {
  let value: unknown = []
  for (let depth = 0; depth < DEPTH; depth++) value = [value]
  return value
}

it('a question that cannot be handed to a worker is refused, whoever waits before and behind it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'heavy-'))
  const store = await openRocksStore({ path, cacheBytes: 1_048_576 })
  const pool = startHeavyQuestions({ handle: store.handle, settings: APPLICATION_DEFAULTS, log: LOG, workers: 1 })
  try {
    const ask = (question: unknown): Promise<string> => pool.run('call', question as Questions['call'], 1, [])
    // The database is empty: a worker that took a question says so.
    const answered = /a question before the chain has begun/
    const first = ask({ block: BLOCK, call: {} })
    const second = ask({ block: BLOCK, call: { data: nested() } })
    const third = ask({ block: BLOCK, call: {} })
    await expect(first).rejects.toThrow(answered)
    await expect(second).rejects.toMatchObject({ codespace: 'query', message: 'the question is nested too deeply' })
    await expect(third).rejects.toThrow(answered)
  } finally {
    await pool.close()
    store.close()
    await store.closed
    rmSync(path, { recursive: true })
  }
})

it('answers clients by turns, also where a question is handed over after others were awaited', async () => {
  const path = mkdtempSync(join(tmpdir(), 'heavy-'))
  const store = await openRocksStore({ path, cacheBytes: 1_048_576 })
  const pool = startHeavyQuestions({ handle: store.handle, settings: APPLICATION_DEFAULTS, log: LOG, workers: 1 })
  const application = withClients({
    ask: async (name, parameters, head) => {
      await Promise.resolve()
      return pool.run(name, parameters, head, [])
    },
    subscribe: () => () => undefined,
  })
  try {
    const answered: string[] = []
    const ask = async (client: string): Promise<void> => {
      await Promise.resolve(application.ask('call', { block: BLOCK, call: {} }, 1, client)).catch(() => undefined)
      answered.push(client)
    }
    await Promise.all([...Array.from({ length: 100 }, () => ask('greedy')), ask('honest'), ask('honest')])
    expect(answered).toHaveLength(102)
    expect(answered.slice(0, 4)).toEqual(['greedy', 'honest', 'greedy', 'honest'])
  } finally {
    await pool.close()
    store.close()
    await store.closed
    rmSync(path, { recursive: true })
  }
})

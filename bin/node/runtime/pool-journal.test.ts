import { execFile } from 'node:child_process'
import type * as Files from 'node:fs'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openPoolJournal } from './pool-journal.ts'

/** What the journal asks of the system, in order; all of it is done. */
const calls: string[] = vi.hoisted(() => [])
vi.mock('node:fs', async (load) => {
  const real = await load<typeof Files>()
  const noted = (['writeSync', 'fdatasyncSync', 'renameSync', 'fsyncSync'] as const).map((name) => {
    const call = real[name] as (...parameters: readonly unknown[]) => unknown
    const note = (...parameters: readonly unknown[]): unknown => {
      calls.push(name)
      return call(...parameters)
    }
    return [name, note] as const
  })
  return { ...real, ...Object.fromEntries(noted) }
})

const folder = mkdtempSync(join(tmpdir(), 'journal-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fail = (error: Error): never => {
  throw error
}
const transaction = (byte: number, length: number): Uint8Array => new Uint8Array(length).fill(byte)

describe('the journal of the pool', () => {
  it('gives back what was appended, in order, without having been closed', () => {
    const path = join(folder, 'appended')
    const journal = openPoolJournal(path, fail)
    journal.append([transaction(1, 100)])
    journal.append([transaction(2, 131_072), transaction(3, 1)])
    const next = openPoolJournal(path, fail)
    expect(next.load()).toEqual([transaction(1, 100), transaction(2, 131_072), transaction(3, 1)])
    journal.close()
    next.close()
  })

  it('drops a record that a crash tore', () => {
    const path = join(folder, 'torn')
    const journal = openPoolJournal(path, fail)
    journal.append([transaction(1, 10)])
    appendFileSync(path, Uint8Array.of(0, 0, 0, 9, 1, 2))
    expect(journal.load()).toEqual([transaction(1, 10)])
    journal.append([transaction(3, 10)])
    expect(journal.load()).toEqual([transaction(1, 10), transaction(3, 10)])
    journal.close()
  })

  it('is replaced at once, and goes on after that', () => {
    const path = join(folder, 'rewritten')
    const journal = openPoolJournal(path, fail)
    journal.append([transaction(1, 10)])
    journal.rewrite([transaction(2, 5), transaction(3, 6)])
    journal.append([transaction(4, 7)])
    expect(journal.load()).toEqual([transaction(2, 5), transaction(3, 6), transaction(4, 7)])
    journal.rewrite([])
    expect(journal.load()).toEqual([])
    journal.close()
  })

  it('is on the disk before it takes the place of the old one, and has its name there before more is appended', () => {
    const path = join(folder, 'synced')
    const journal = openPoolJournal(path, fail)
    journal.append([transaction(1, 10)])
    calls.length = 0
    journal.rewrite([transaction(2, 5)])
    journal.append([transaction(3, 5)])
    expect(calls).toEqual(['writeSync', 'fdatasyncSync', 'renameSync', 'fsyncSync', 'writeSync'])
    journal.close()
  })

  it('holds as many transactions as the largest pool', () => {
    const path = join(folder, 'many')
    const journal = openPoolJournal(path, fail)
    journal.rewrite(Array.from({ length: 200_000 }, () => transaction(7, 120)))
    expect(journal.load()).toHaveLength(200_000)
    journal.close()
  })

  it('is whole after a disk refused half of a record', async () => {
    const path = join(folder, 'full')
    // The shell bounds the size of files to 2 blocks of 512 bytes: the third record is cut off.
    const source = `
      const { openPoolJournal } = await import(${JSON.stringify(new URL('./pool-journal.ts', import.meta.url).href)})
      process.on('SIGXFSZ', () => undefined)
      const journal = openPoolJournal(${JSON.stringify(path)}, () => undefined)
      const append = (length) => { try { journal.append([new Uint8Array(length).fill(length)]); return 'ok' } catch (error) { return error.code } }
      journal.rewrite([])
      console.log([append(100), append(200), append(1000), append(50)].join())
    `
    const command = 'ulimit -f 2; exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"'
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command, process.execPath, source], {
      // What it keeps of compiled code would pass the limit, too.
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    expect(stdout.trim()).toBe('ok,ok,EFBIG,ok')
    const journal = openPoolJournal(path, fail)
    expect(journal.load().map(({ length }) => length)).toEqual([100, 200, 50])
    journal.close()
  })
})

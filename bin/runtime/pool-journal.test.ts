import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openPoolJournal } from './pool-journal.ts'

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
    journal.append(transaction(1, 100))
    journal.append(transaction(2, 131_072))
    const next = openPoolJournal(path, fail)
    expect(next.load()).toEqual([transaction(1, 100), transaction(2, 131_072)])
    journal.close()
    next.close()
  })

  it('drops a record that a crash tore', () => {
    const path = join(folder, 'torn')
    const journal = openPoolJournal(path, fail)
    journal.append(transaction(1, 10))
    appendFileSync(path, Uint8Array.of(0, 0, 0, 9, 1, 2))
    expect(journal.load()).toEqual([transaction(1, 10)])
    journal.close()
  })

  it('is replaced at once, and goes on after that', () => {
    const path = join(folder, 'rewritten')
    const journal = openPoolJournal(path, fail)
    journal.append(transaction(1, 10))
    journal.rewrite([transaction(2, 5), transaction(3, 6)])
    journal.append(transaction(4, 7))
    expect(journal.load()).toEqual([transaction(2, 5), transaction(3, 6), transaction(4, 7)])
    journal.rewrite([])
    expect(journal.load()).toEqual([])
    journal.close()
  })
})

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LogFile } from './log-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (maxBytes: number, errors: string[] = []) => {
  const path = join(folder, 'devnet.log')
  return { path, file: new LogFile({ path, maxBytes, onError: ({ message }) => void errors.push(message) }) }
}
const read = (path: string): string => readFileSync(path, 'utf8')

it('keeps the last lines, whole and in order, in two files of bounded size', async () => {
  const { path, file } = open(1_000)
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index} \u00e9\n`)
  for (const line of lines) file.write(line)
  await file.end()
  expect(readdirSync(folder).toSorted()).toEqual(['devnet.log', 'devnet.log.1'])
  const [older, newer] = [read(`${path}.1`), read(path)]
  for (const text of [older, newer]) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000)
  expect(Buffer.byteLength(older)).toBeGreaterThan(980)
  expect(lines.join('').endsWith(older + newer)).toBe(true)
})

it('begins empty, and a line that is longer than a file has one of its own', async () => {
  const path = join(folder, 'devnet.log')
  for (const name of [path, `${path}.1`]) writeFileSync(name, 'of an earlier run')
  const { file } = open(10)
  expect(existsSync(`${path}.1`)).toBe(false)
  file.write('0123456789abc\n')
  file.write('short\n')
  await file.end()
  expect([read(`${path}.1`), read(path)]).toEqual(['0123456789abc\n', 'short\n'])
})

it('goes on in a new file where somebody has removed the full one', async () => {
  const errors: string[] = []
  const { path, file } = open(10, errors)
  file.write('0123456789\n')
  rmSync(path)
  file.write('next\n')
  await file.end()
  expect([errors, read(path)]).toEqual([[], 'next\n'])
})

it('says that it cannot write, and goes on without', async () => {
  const errors: string[] = []
  const { path, file } = open(10, errors)
  file.write('0123456789\n')
  // A folder in the way of the older file, which cannot be replaced by one.
  mkdirSync(join(`${path}.1`, 'x'), { recursive: true })
  for (let index = 0; index < 10; index++) file.write('0123456789\n')
  await file.end()
  expect(errors).toHaveLength(1)
})

it('is written again once it can be', async () => {
  const path = join(folder, 'devnet.log')
  const errors: string[] = []
  const file = new LogFile({ path, maxBytes: 10, retryMs: 20, onError: ({ message }) => void errors.push(message) })
  mkdirSync(join(`${path}.1`, 'x'), { recursive: true })
  for (const line of ['0123456789\n', 'lost\n']) file.write(line)
  expect(errors).toHaveLength(1)
  rmSync(`${path}.1`, { recursive: true })
  const again = (): string => {
    file.write('again\n')
    return existsSync(`${path}.1`) ? read(`${path}.1`) : ''
  }
  await expect.poll(again).toBe('0123456789\n')
  await file.end()
  expect([errors.length, read(path)]).toEqual([1, 'again\n'])
  file.write('too late\n')
  expect(read(path)).toBe('again\n')
})

it('keeps the run before as the older file where it is asked to, and makes the folder', async () => {
  const path = join(folder, 'logs', 'cometbft.log')
  for (const text of ['one\n', 'two\n', 'three\n']) {
    const file = new LogFile({ path, keepsLastRun: true, onError: (error) => expect(error).toBeUndefined() })
    file.write(text)
    await file.end()
  }
  expect([read(`${path}.1`), read(path)]).toEqual(['two\n', 'three\n'])
})

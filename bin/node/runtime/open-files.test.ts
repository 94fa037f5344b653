import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NodeLog } from './log.ts'
import { parseOpenFileLimit, warnOfOpenFiles } from './open-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the limit of this process is the one that the kernel tells', () => {
  const limit = parseOpenFileLimit(readFileSync('/proc/self/limits', 'utf8'))
  expect(limit).toBeGreaterThan(100)
  expect(parseOpenFileLimit('Max processes   unlimited\n')).toBeUndefined()
})

test('a database with more table files than half of the limit is warned of', () => {
  const warned: unknown[] = []
  const log = { warn: (text: string, fields: unknown) => warned.push([text, fields]) } as unknown as NodeLog
  for (let file = 0; file < 6; file++) writeFileSync(join(folder, `${file}.sst`), '')
  writeFileSync(join(folder, 'CURRENT'), '')
  warnOfOpenFiles(folder, log, 12)
  expect(warned).toEqual([])
  warnOfOpenFiles(folder, log, 11)
  expect(warned).toEqual([[expect.stringMatching(/limit of open files: raise it/), { files: 6, limit: 11 }]])
})

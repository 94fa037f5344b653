import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = join(import.meta.dirname, '..', '..', 'scripts', 'bound-cache.sh')
const CURRENT = 'v24.21.0-x64-1c717fce-0'
const OLDER = 'v24.2.0-x64-1c717fce-0'
const DAY_SECONDS = 86_400

let folder: string

const write = (directory: string, name: string, daysAgo = 0): string => {
  mkdirSync(join(folder, directory), { recursive: true })
  const path = join(folder, directory, name)
  writeFileSync(path, 'compiled')
  const seconds = Date.now() / 1_000 - daysAgo * DAY_SECONDS
  utimesSync(path, seconds, seconds)
  return path
}

const bound = (): void => {
  execFileSync(script, [folder, 'v24.21.0'])
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compiled-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the cache of compiled code', () => {
  it('loses what another version of Node compiled, and what was written more than 30 days ago', () => {
    const kept = write(CURRENT, 'young', 29)
    const old = write(CURRENT, 'old', 32)
    const foreign = write(OLDER, 'young')
    bound()
    expect([kept, old, foreign].map(existsSync)).toEqual([true, false, false])
  })

  it('is looked through once a day', () => {
    bound()
    const old = write(CURRENT, 'old', 32)
    bound()
    expect(existsSync(old)).toBe(true)
    const past = Date.now() / 1_000 - 2 * DAY_SECONDS
    utimesSync(join(folder, '.bounded'), past, past)
    bound()
    expect(existsSync(old)).toBe(false)
  })

  it('need not exist', () => {
    rmSync(folder, { recursive: true })
    bound()
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder)
  })
})

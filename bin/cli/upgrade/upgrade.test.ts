/** Versions that are prepared in a home, with two programs in the place of two versions of the node. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHome, type Home } from '../../node/config/home.ts'
import { noteUpgrade, readUpgradeInfo, upgradeInfoPath } from '../../node/upgrade-info.ts'
import { runUpgrades } from './run-upgrades.ts'
import { addVersion, currentName, listVersions, switchTo } from './versions.ts'

const NEEDED = 'UPGRADE "v2 of \'it\'/x" NEEDED at height: 40: with info'
const NAME = "v2 of 'it'/x"

let folder: string
let home: Home
let said: string[]

const program = (name: string, body: string): string => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> ${join(folder, 'ran')}\n${body}\n`, { mode: 0o755 })
  return path
}
const ran = (): readonly string[] => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n')
const run = (first: string): Promise<number> =>
  runUpgrades({
    args: ['start', '--home', home.root, '--pruning', 'nothing'],
    program: first,
    say: (line) => said.push(line),
  })
/** A version that meets the plan, as a node does. */
const meetsPlan = (): string => {
  noteUpgrade(home, new TypeError(NEEDED))
  const text = readFileSync(upgradeInfoPath(home), 'utf8')
  rmSync(upgradeInfoPath(home))
  writeFileSync(join(folder, 'info'), text)
  return `cp ${join(folder, 'info')} ${upgradeInfoPath(home)}; exit 1`
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  home = openHome(join(folder, 'home'))
  mkdirSync(home.data, { recursive: true })
  said = []
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a prepared version', () => {
  it('stays where another one is prepared whose name is the beginning of its own', () => {
    const path = program('any', 'exit 0')
    for (const name of ['x.new', 'x', 'x']) addVersion(home, name, path)
    switchTo(home, 'x')
    expect(listVersions(home)).toEqual([`* x  ${path}`, `  x.new  ${path}`])
  })
})

describe('a node that stops before an upgrade', () => {
  it('leaves name and height behind, and nothing for another fault', () => {
    expect(noteUpgrade(home, undefined)).toBeUndefined()
    noteUpgrade(home, new TypeError('wrong binary: upgrade handler is missing for x upgrade plan'))
    expect(readUpgradeInfo(home)).toBeUndefined()
    const fault = new TypeError(NEEDED)
    expect(noteUpgrade(home, fault)).toBe(fault)
    expect(readUpgradeInfo(home)).toEqual({ name: NAME, height: 40 })
    noteUpgrade(home, new TypeError('UPGRADE "v3" NEEDED at height: 50: {"v": "UPGRADE "v9" NEEDED at height: 7"}'))
    expect(readUpgradeInfo(home)).toEqual({ name: 'v3', height: 50 })
    writeFileSync(upgradeInfoPath(home), '{"name": 7}')
    expect(readUpgradeInfo(home)).toBeUndefined()
  })
})

describe('chain upgrade', () => {
  it('switches to a prepared version, and stays with it', async () => {
    const first = program('first', meetsPlan())
    addVersion(home, NAME, program('second', 'exit 0'))
    expect(listVersions(home)).toEqual([expect.stringMatching(/^ {2}v2 of 'it'\/x {2}/)])
    expect(await run(first)).toBe(0)
    const args = `start --home ${home.root} --pruning nothing`
    expect(ran()).toEqual([`first ${args}`, `second ${args}`])
    expect(said).toEqual([expect.stringContaining(`switching to the version "${NAME}" at height 40`)])
    expect(currentName(home)).toBe(NAME)
    expect(listVersions(home)[0]).toMatch(/^\*/)
    expect(await run(first)).toBe(0)
    expect(ran()).toHaveLength(3)
    expect(ran().at(-1)).toBe(`second ${args}`)
  })

  it('ends with the status of a node that fails, and does not try again', async () => {
    addVersion(home, NAME, program('second', 'exit 7'))
    expect(await run(program('first', meetsPlan()))).toBe(7)
    expect(await run(program('first', 'exit 0'))).toBe(7)
    expect(ran().map((line) => line.split(' ')[0])).toEqual(['first', 'second', 'second'])
  })

  it('heeds no upgrade that its chain has passed, whatever the version after it ends for', async () => {
    addVersion(home, NAME, program('second', 'exit 0'))
    addVersion(home, 'v2.1', program('patched', 'exit 1'))
    switchTo(home, 'v2.1')
    noteUpgrade(home, new TypeError(NEEDED))
    expect(await run(program('first', 'exit 0'))).toBe(1)
    expect([currentName(home), ...ran().map((line) => line.split(' ')[0])]).toEqual(['v2.1', 'patched'])
  })

  it('says what to prepare where nothing is', async () => {
    expect(await run(program('first', meetsPlan()))).toBe(1)
    expect(said).toEqual([expect.stringContaining(`chain upgrade add "${NAME}" <checkout> --home ${home.root}`)])
    expect(currentName(home)).toBeUndefined()
  })

  it('takes a checkout, and refuses what cannot be run', () => {
    const checkout = join(folder, 'checkout')
    mkdirSync(checkout)
    expect(() => addVersion(home, 'a', checkout)).toThrowError(/is neither a checkout/)
    writeFileSync(join(checkout, 'chain'), '#!/bin/sh\n', { mode: 0o755 })
    expect(addVersion(home, 'a', checkout).program).toBe(join(checkout, 'chain'))
    expect(switchTo(home, 'a').path).toBe(checkout)
    expect(() => switchTo(home, 'b')).toThrowError(/no version "b" is prepared/)
    expect(() => addVersion(openHome(join(folder, 'nowhere')), 'a', checkout)).toThrowError(/is missing/)
    rmSync(checkout, { recursive: true })
    expect(() => switchTo(home, 'a')).toThrowError(/is neither a checkout/)
    expect(existsSync(join(home.root, 'upgrades', 'current', 'chain'))).toBe(false)
  })
})

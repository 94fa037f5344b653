import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Home, openHome } from '../../node/config/home.ts'
import { readGenesisJson } from '../../node/genesis/document.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'
import { prepareDevnetHome } from './devnet-home.ts'

let folder: string
let home: Home
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devnet-home-'))
  home = openHome(join(folder, 'home'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const prepare = (more: { reset?: boolean; evmChainId?: bigint } = {}): Promise<void> =>
  prepareDevnetHome({ home, reset: false, ...more })
const evmChainId = (): bigint => validateGenesis(readGenesisJson(home.genesis), home.genesis).evmChainId
const nodeKey = (): string => readFileSync(home.nodeKey, 'utf8')

describe('the home of a devnet', () => {
  it('is made once, and anew with reset', async () => {
    await prepare()
    const [key, genesis] = [nodeKey(), readFileSync(home.genesis, 'utf8')]
    await prepare()
    expect([nodeKey(), readFileSync(home.genesis, 'utf8')]).toEqual([key, genesis])
    await expect(prepare({ evmChainId: 31_337n })).rejects.toMatchObject({ codespace: 'cli', code: 7 })
    await prepare({ reset: true, evmChainId: 31_337n })
    expect(nodeKey()).not.toBe(key)
    expect(evmChainId()).toBe(31_337n)
  })

  it('is made anew where that was interrupted, at its first file or at its last', async () => {
    await prepare()
    const key = nodeKey()
    // As a kill leaves it in the middle: the marker says that it is unfinished.
    writeFileSync(join(home.root, 'devnet/unfinished'), '')
    rmSync(home.appToml)
    await prepare()
    expect(nodeKey()).not.toBe(key)
    expect([existsSync(home.appToml), existsSync(join(home.root, 'devnet/unfinished'))]).toEqual([true, false])
    // A deletion that was cut short.
    for (const name of readdirSync(home.root)) if (name !== 'devnet') rmSync(join(home.root, name), { recursive: true })
    writeFileSync(join(home.root, 'devnet/unfinished'), '')
    await prepare()
    expect(evmChainId()).toBe(2_517n)
  })

  it('is no folder that holds anything else: that is left as it is', async () => {
    const own = join(home.root, 'documents/thesis.txt')
    mkdirSync(join(home.root, 'documents'), { recursive: true })
    writeFileSync(own, 'years of work')
    for (const reset of [false, true]) {
      await expect(prepare({ reset })).rejects.toMatchObject({ codespace: 'cli', code: 3 })
      expect(readFileSync(own, 'utf8')).toBe('years of work')
    }
    expect(readdirSync(home.root)).toEqual(['documents'])
  })
})

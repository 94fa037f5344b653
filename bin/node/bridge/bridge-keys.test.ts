import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recoverBridgeSigner } from '../../../core/bridge-signature.ts'
import { CodedError } from '../../../core/errors.ts'
import { CLI_CODES } from '../../errors.ts'
import { addBridgeKey, ensureBridgeKey, readBridgeKeys, toBridgeKeys } from './bridge-keys.ts'

let folder: string
let home: { readonly bridgeKey: string }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridge-keys-'))
  home = { bridgeKey: join(folder, 'bridge_key.json') }
})
afterEach(() => rmSync(folder, { recursive: true }))

const codeOf = (run: () => unknown): number | undefined => {
  try {
    run()
  } catch (error) {
    if (error instanceof CodedError) return error.code
    throw error
  }
  return undefined
}

describe('the keys of the bridge', () => {
  it('are made once, for nobody else to read, and sign', () => {
    expect(readBridgeKeys(home)).toEqual([])
    expect(toBridgeKeys(readBridgeKeys(home))).toBeUndefined()
    const key = ensureBridgeKey(home)
    expect(ensureBridgeKey(home)).toEqual(key)
    expect(statSync(home.bridgeKey).mode & 0o777).toBe(0o600)
    const digest = new Uint8Array(32).fill(5)
    const signature = toBridgeKeys(readBridgeKeys(home))?.sign(key.address, digest)
    expect(signature).toHaveLength(65)
    expect(recoverBridgeSigner(digest, signature ?? digest)).toEqual(key.address)
  })

  it('stay when another one is added behind them', () => {
    const first = ensureBridgeKey(home)
    chmodSync(home.bridgeKey, 0o644)
    const second = addBridgeKey(home)
    expect(readBridgeKeys(home)).toEqual([first, second])
    expect(ensureBridgeKey(home)).toEqual(second)
    expect(statSync(home.bridgeKey).mode & 0o777).toBe(0o600)
    for (let count = 2; count < 16; count++) addBridgeKey(home)
    expect(codeOf(() => addBridgeKey(home))).toBe(CLI_CODES.bridgeKey)
    expect(readBridgeKeys(home)).toHaveLength(16)
  })

  it.each([
    ['is cut short', (text: string) => text.slice(0, -5)],
    ['holds none', () => '{"keys":[]}'],
    [
      'names another address',
      (text: string) => text.replace(/"address": "0x.{40}"/, `"address": "0x${'11'.repeat(20)}"`),
    ],
    ['has a key of no curve', (text: string) => text.replace(/0x.{64}/, `0x${'00'.repeat(32)}`)],
  ])('are refused where the file %s, and it is left as it is', (_, damage) => {
    ensureBridgeKey(home)
    const damaged = damage(readFileSync(home.bridgeKey, 'utf8'))
    writeFileSync(home.bridgeKey, damaged)
    expect(codeOf(() => readBridgeKeys(home))).toBe(CLI_CODES.bridgeKey)
    expect(codeOf(() => ensureBridgeKey(home))).toBe(CLI_CODES.bridgeKey)
    expect(readFileSync(home.bridgeKey, 'utf8')).toBe(damaged)
  })
})

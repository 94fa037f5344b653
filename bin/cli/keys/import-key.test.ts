import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { importKey } from './keys-commands.ts'
import { Keyring } from './keyring.ts'
import { Terminal } from './terminal.ts'

const home = mkdtempSync(join(tmpdir(), 'import-key-'))
afterAll(() => rmSync(home, { recursive: true }))
const DIGITS = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

test('a private key is read from a file, and never from the command line, where all see it', async () => {
  const keyring = new Keyring(home, 'test')
  const session = { keyring, passwords: { backend: 'test', file: undefined, terminal: new Terminal() } } as const
  const options = { name: 'dev', sourcePasswordFile: undefined, algorithm: 'eth_secp256k1', cost: 'light' } as const
  for (const source of [DIGITS, `0x${DIGITS}`]) {
    const refused = importKey({ ...options, source }, session)
    await expect(refused).rejects.toMatchObject({ codespace: 'cli', code: 1 })
    await expect(refused).rejects.not.toThrow(DIGITS)
  }
  const file = join(home, 'dev.hex')
  writeFileSync(file, DIGITS)
  const { name } = await importKey({ ...options, source: file }, session)
  expect(name).toBe('dev')
})

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openHome, requireWritableFolder } from '../../node/config/home.ts'
import { initHome } from './init.ts'

const folder = mkdtempSync(join(tmpdir(), 'init-'))
afterAll(() => {
  vi.unstubAllEnvs()
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

describe('chain init', () => {
  it('says why CometBFT could not make its files', async () => {
    const binary = join(folder, 'cometbft')
    const report = '{"cometbft": "0.40.0", "abci": "2.0.0", "block_protocol": 11, "p2p_protocol": 8}'
    const body = `if [ "$1" = version ]; then echo '${report}'; else echo 'write: no space left on device'; exit 1; fi`
    writeFileSync(binary, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
    vi.stubEnv('COMETBFT_BINARY', binary)
    await expect(initHome({ home: openHome(join(folder, 'home')), chainId: 'localnat-1' })).rejects.toMatchObject({
      codespace: 'cli',
      code: 8,
      message: `${binary} init failed: write: no space left on device`,
    })
  })

  const isRoot = process.getuid?.() === 0
  if (isRoot) console.log('skipped: root may write into every folder')
  it.skipIf(isRoot)('says that a folder cannot be written before it makes one there', () => {
    chmodSync(folder, 0o500)
    expect(() => requireWritableFolder(join(folder, 'not', 'there'))).toThrowError(
      `no permission to read and write ${folder}: run this as its owner`,
    )
  })
})

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

  it('replaces the configuration of another network where it is asked to', async () => {
    vi.unstubAllEnvs()
    const home = openHome(join(folder, 'again'))
    await initHome({
      home,
      chainId: 'localnat-1',
      peers: { seeds: 'a@seed.example:1', persistentPeers: 'b@peer.example:2' },
    })
    const toml = readFileSync(home.configToml, 'utf8').replace('enable = false', 'enable = true')
    writeFileSync(home.configToml, toml.replace('trust_hash = ""', 'trust_hash = "AB"'))
    await initHome({ home, chainId: 'nat-2517-1', overwrite: true })
    const now = readFileSync(home.configToml, 'utf8')
    for (const left of ['seed.example', 'peer.example', 'trust_hash = "AB"']) expect(now, left).not.toContain(left)
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

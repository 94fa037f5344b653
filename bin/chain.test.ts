import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const OPERATOR = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SCRIPT = fileURLToPath(new URL('./chain.ts', import.meta.url))

it('a command whose reader has gone does its work, and says nothing of a broken pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chain-'))
  try {
    const home = join(folder, 'home')
    const run = async (...args: string[]): Promise<readonly [number, string]> => {
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SCRIPT, ...args, '--home', home])
      child.stdout.destroy()
      let errors = ''
      child.stderr.on('data', (bytes: Buffer) => void (errors += bytes.toString()))
      const [code] = (await once(child, 'close')) as [number]
      return [code, errors]
    }
    expect(await run('init', 'one', '--chain-id', 'mine-1', '--evm-chain-id', '77001')).toEqual([0, ''])
    expect(await run('genesis', 'add-validator', '--power', '10', '--operator', OPERATOR)).toEqual([0, ''])
    expect(await run('genesis', 'validate')).toEqual([0, ''])
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 30_000)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runChain } from './testing/node-process.ts'

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
})

it.each([
  // A log that cannot be written is no reason to stop a validator.
  ['start --help', 0],
  ['version', 1],
] as const)('"%s" onto a disk that is full ends with %i', async (words, status) => {
  const full = openSync('/dev/full', 'w')
  try {
    const args = ['--disable-warning=ExperimentalWarning', SCRIPT, ...words.split(' ')]
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, full] })
    expect(await once(child, 'close')).toEqual([status, null])
  } finally {
    closeSync(full)
  }
})

it.each([
  [['statuss'], 2, /unknown command 'statuss'/],
  [['status', '--hme', 'x'], 2, /Did you mean --home/],
  [['tx', 'bnk'], 2, /Did you mean bank/],
  [['query', 'bank', 'balances'], 2, /missing required argument 'address'/],
  [['snapshot'], 2, /Usage: chain snapshot/],
  [['keys', 'show', 'nobody', '--home', '/nonexistent', '--keyring-backend', 'test'], 1, /no key nobody/],
] as const)('%j ends with %i and says why on standard error', async (args, status, message) => {
  expect(await runChain(...args)).toEqual({ status, stdout: '', stderr: expect.stringMatching(message) as string })
})

it.each([['--help'], ['--version'], ['tx', '--help']])('%s %s is no fault', async (...args) => {
  const { status, stderr } = await runChain(...args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('a genesis without validators is refused before CometBFT keeps it for good', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chain-'))
  try {
    const home = join(folder, 'home')
    await runChain('init', 'one', '--chain-id', 'mine-1', '--evm-chain-id', '77001', '--home', home)
    const { status, stderr } = await runChain('start', '--home', home)
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('has no validators: run "chain genesis add-validator"'),
    ])
    expect(readdirSync(join(home, 'data'))).toEqual(['priv_validator_state.json'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

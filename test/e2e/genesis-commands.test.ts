/** How a network begins: by genesis transactions of several people, and by files for a whole testnet. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { chainCommand, endWithUs, runChain, until } from './harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'e2e-genesis-'))
const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
})

const run = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await runChain(args)
  expect(status, `chain ${args.join(' ')}: ${stderr}`).toBe(0)
  return stdout
}

interface Genesis {
  readonly validators: readonly { readonly power: string }[]
  readonly app_state: {
    readonly staking: { readonly validators: readonly { readonly description: { readonly moniker: string } }[] }
    readonly bank: { readonly balances: readonly { readonly coins: readonly { readonly amount: string }[] }[] }
  }
}

describe('genesis transactions', () => {
  const homes = ['one', 'two'].map((name) => join(folder, name))
  const [first = '', second = ''] = homes
  const genesisOf = (home: string): string => join(home, 'config', 'genesis.json')
  const gentxOf = (home: string): string => join(home, 'config', 'gentx')
  const keys = ['--keyring-backend', 'test'] as const

  it('of two people become two validators, paid out of their accounts', async () => {
    for (const home of homes) {
      await run('init', 'node', '--chain-id', 'localnat-1', '--home', home)
      await run('keys', 'add', 'operator', ...keys, '--home', home)
    }
    for (const home of homes) {
      const address = (await run('keys', 'show', 'operator', '-a', ...keys, '--home', home)).trim()
      await run('genesis', 'add-account', address, '1000nat', '--home', first)
    }
    copyFileSync(genesisOf(first), genesisOf(second))
    await run('genesis', 'gentx', 'operator', '600nat', ...keys, '--moniker', 'one', '--home', first)
    await run(
      'genesis',
      'gentx',
      'operator',
      '400nat',
      ...keys,
      '--moniker',
      'two',
      '--ip',
      '10.0.0.2',
      '--home',
      second,
    )
    for (const file of readdirSync(gentxOf(second))) {
      copyFileSync(join(gentxOf(second), file), join(gentxOf(first), file))
    }
    const whole = readFileSync(genesisOf(first), 'utf8')
    const owing = JSON.parse(whole) as { app_state: Record<string, unknown> }
    owing.app_state['distribution'] = { fee_pool: { community_pool: [{ denom: 'anat', amount: '5' }] } }
    writeFileSync(genesisOf(first), JSON.stringify(owing))
    const refused = await runChain(['genesis', 'collect-gentxs', '--home', first])
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/owes more anat than .* 0 \(cli\/5\)$/m),
    ])
    expect(readFileSync(genesisOf(first), 'utf8')).toBe(JSON.stringify(owing))
    writeFileSync(genesisOf(first), whole)
    expect(await run('genesis', 'collect-gentxs', '--home', first)).toContain('2 genesis transactions collected')
    const genesis = JSON.parse(readFileSync(genesisOf(first), 'utf8')) as Genesis
    expect(genesis.validators.map(({ power }) => Number(power)).toSorted((a, b) => a - b)).toEqual([400, 600])
    const monikers = genesis.app_state.staking.validators.map(({ description }) => description.moniker)
    expect(monikers.toSorted()).toEqual(['one', 'two'])
    const balances = genesis.app_state.bank.balances.map(({ coins }) => BigInt(coins[0]?.amount ?? 0) / 10n ** 18n)
    expect(balances).toEqual([400n, 600n, 1_000n])
    expect(await run('genesis', 'validate', '--home', first)).toContain('2 accounts, 2 validators')
    const owingFile = join(folder, 'owing.json')
    const distribution = owing.app_state['distribution']
    writeFileSync(owingFile, JSON.stringify({ ...genesis, app_state: { ...genesis.app_state, distribution } }))
    const invalid = await runChain(['genesis', 'validate', owingFile])
    expect([invalid.status, invalid.stderr]).toEqual([
      1,
      expect.stringMatching(/owes more anat than .* 0 \(cli\/5\)$/m),
    ])
    const peers = /^persistent_peers = (.*)$/m.exec(readFileSync(join(first, 'config', 'config.toml'), 'utf8'))?.[1]
    expect(peers).toContain('@10.0.0.2:26656')
  })

  it('are refused when they were changed, or are of another chain', async () => {
    const [file = ''] = readdirSync(gentxOf(second))
    const path = join(gentxOf(second), file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace('"400000000000000000000"', '"500000000000000000000"'))
    const changed = await runChain(['genesis', 'collect-gentxs', '--home', second])
    expect([changed.status, changed.stderr]).toEqual([
      1,
      expect.stringMatching(/gentx-.*signature verification failed/),
    ])
    writeFileSync(path, text)
    const other = join(folder, 'other')
    await run('init', 'node', '--chain-id', 'other-1', '--evm-chain-id', '77002', '--home', other)
    const foreign = await runChain(['genesis', 'collect-gentxs', '--home', other, '--gentx-dir', gentxOf(second)])
    expect([foreign.status, foreign.stderr]).toEqual([1, expect.stringMatching(/signature verification failed/)])
  })
})

describe('files of a testnet', () => {
  it('start as a chain of several validators', async () => {
    const directory = join(folder, 'testnet')
    await run('testnet', 'init-files', '--v', '2', '--output-dir', directory, '--starting-ip-address', '127.0.7.2')
    for (const name of ['node0', 'node1']) {
      const child = spawn(chainCommand, ['start', '--home', join(directory, name)], { stdio: 'ignore' })
      endWithUs(child)
      children.push(child)
    }
    const height = await until('the second block', async () => {
      const response = await fetch('http://127.0.7.3:26657/status')
      const { result } = (await response.json()) as { result: { sync_info: { latest_block_height: string } } }
      const at = Number(result.sync_info.latest_block_height)
      return at >= 2 ? at : undefined
    })
    expect(height).toBeGreaterThanOrEqual(2)
    // The other node: its CometBFT makes blocks before its gateway answers.
    const validators = await until('the gateway of the first node', async () => {
      const reply = await fetch('http://127.0.7.2:1317/cosmos/staking/v1beta1/validators?status=BOND_STATUS_BONDED')
      return ((await reply.json()) as { validators: readonly { description: { moniker: string } }[] }).validators
    })
    expect(validators.map(({ description }) => description.moniker).toSorted()).toEqual(['node0', 'node1'])
  })

  it('are not written over what is there', async () => {
    const { status, stderr } = await runChain(['testnet', 'init-files', '--output-dir', folder])
    expect([status, stderr]).toEqual([1, expect.stringContaining('is not empty')])
  })
})

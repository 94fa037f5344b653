/** The command line of the native layer against a real node: keys, transactions, queries, as a user types them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createKeysProgram } from '../../bin/cli/commands/keys-program.ts'
import { createQueryProgram } from '../../bin/cli/query/query-program.ts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { CHAIN_ID, type Finished, runChain, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 200 })

// A command is a process, which takes half a second and more; a test has up to thirty of them.

let folder: string
const PASSWORD = 'a password of tests'

/** Runs a command as a process, with a keyring of its own and the node of this file: beforeAll sets the environment. */
const chain = (...args: readonly string[]): Promise<Finished> => runChain(args)

const PROGRAMS = { keys: createKeysProgram, query: createQueryProgram } as const

/** Runs a command in this process, which is quicker: what others have asked as a process already. */
const here = async (group: keyof typeof PROGRAMS, ...words: readonly string[]): Promise<string> => {
  const spy = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    await PROGRAMS[group]().parseAsync([...words], { from: 'user' })
    return spy.mock.calls
      .map(([chunk]) => String(chunk))
      .join('')
      .trim()
  } finally {
    spy.mockRestore()
  }
}

const askHere = async <T>(...words: readonly string[]): Promise<T> => JSON.parse(await here('query', ...words)) as T

const succeed = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await chain(...args)
  expect(status, `chain ${args.join(' ')}: ${stderr}${stdout}`).toBe(0)
  return stdout.trim()
}

const ask = async <T>(...args: readonly string[]): Promise<T> => JSON.parse(await succeed(...args)) as T

interface Response {
  readonly txhash: string
  readonly code: number
  readonly raw_log: string
  readonly height: string
  readonly gas_used: string
}

/** Sends and waits for the block. */
const send = (...args: readonly string[]): Promise<Response> => ask<Response>('tx', ...args, '--yes', '--wait')

const balanceOf = async (who: string): Promise<bigint> => {
  const { balance } = await askHere<{ balance: { amount: string } }>('bank', 'balance', who, 'anat')
  return BigInt(balance.amount)
}

const addressOf = (name: string, ...flags: readonly string[]): Promise<string> =>
  here('keys', 'show', name, '-a', ...flags)

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cli-'))
  vi.stubEnv('CHAIN_HOME', folder)
  vi.stubEnv('CHAIN_NODE', node().urls.comet.replace('http:', 'tcp:'))
  vi.stubEnv('CHAIN_KEYRING_PASSWORD', PASSWORD)
  const [first, second] = devnetAccounts()
  await succeed('keys', 'import', 'dev', write('dev.hex', first?.privateKey ?? ''), '--light')
  const keystore = await new Wallet(second?.privateKey ?? '').encrypt('of ethers')
  const [file, password] = [write('keystore.json', keystore), write('password', 'of ethers\n')]
  await succeed('keys', 'import', 'dev2', file, '--source-password-file', password, '--light')
  for (const name of ['a', 'b', 'c']) await here('keys', 'add', name, '--algo', 'secp256k1', '--light')
  await succeed('keys', 'add', 'both', '--multisig', 'a,b,c', '--multisig-threshold', '2')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('keys', () => {
  it('are imported as the accounts that they are, and listed', async () => {
    const [first, second] = devnetAccounts()
    expect(await succeed('keys', 'show', 'dev', '-a', '--hex')).toBe(first?.address)
    expect(await addressOf('dev2', '--hex')).toBe(second?.address)
    expect(await succeed('keys', 'list', '-n')).toBe('a\nb\nboth\nc\ndev\ndev2')
    const forms = await ask<Record<string, string>>('debug', 'addr', first?.address ?? '', '-o', 'json')
    expect(forms).toMatchObject({ account: await addressOf('dev'), operator: await addressOf('dev', '--bech', 'val') })
  })

  it('are exported as keystores that ethers opens, and in the open only when that is said twice', async () => {
    const wallet = await Wallet.fromEncryptedJson(await succeed('keys', 'export', 'dev'), PASSWORD)
    expect(wallet.address).toBe(devnetAccounts()[0]?.address)
    expect((await chain('keys', 'export', 'dev', '--unarmored-hex')).status).toBe(2)
    const digits = await succeed('keys', 'export', 'dev', '--unsafe', '--unarmored-hex', '--yes')
    expect(bytesToHex(hexToBytes(`0x${digits}`))).toBe(devnetAccounts()[0]?.privateKey)
    const wrong = await chain(
      'keys',
      'export',
      'dev',
      '--unsafe',
      '--unarmored-hex',
      '-y',
      '--password-file',
      write('w', 'no'),
    )
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('wrong password') as string })
  })
})

describe('a transfer', () => {
  it('is estimated, signed, sent and found again', async () => {
    const before = await balanceOf('a')
    const sent = await send('bank', 'send', 'a', '5nat', '--from', 'dev', '--memo', 'from the command line')
    expect(sent).toMatchObject({ code: 0, raw_log: '' })
    expect(await balanceOf('a')).toBe(before + 5n * 10n ** 18n)
    const found = await ask<Response & { tx: { body: { memo: string } } }>('query', 'tx', sent.txhash)
    expect(found).toMatchObject({ ...sent, tx: { body: { memo: 'from the command line' } } })
    const query = `transfer.recipient='${await addressOf('a')}' AND tx.height=${sent.height}`
    const { total_count, txs } = await ask<{ total_count: string; txs: readonly Response[] }>(
      'query',
      'txs',
      '--query',
      query,
    )
    expect([total_count, txs[0]]).toEqual([
      '1',
      expect.objectContaining({ txhash: sent.txhash, gas_used: sent.gas_used }),
    ])
  })

  it('costs what it says, and its gas limit is near what it uses', async () => {
    const [before, a] = [await balanceOf('dev2'), await balanceOf('a')]
    const fee = ['--gas', '150000', '--gas-prices', '3000000000anat']
    expect(await send('bank', 'send', 'dev2', 'a', '1anat', ...fee)).toMatchObject({ code: 0 })
    expect(await balanceOf('dev2')).toBe(before - 1n - 150_000n * 3_000_000_000n)
    expect(await balanceOf('a')).toBe(a + 1n)
    const { gas_estimate } = await ask<{ gas_estimate: string }>(
      'tx',
      'bank',
      'send',
      'a',
      '1anat',
      '--from',
      'dev2',
      '--dry-run',
    )
    const { gas_used } = await send('bank', 'send', 'a', '1anat', '--from', 'dev2')
    expect(Math.abs(Number(gas_estimate) - Number(gas_used))).toBeLessThan(1_000)
  })

  it('of either key in either mode, to several, is done', async () => {
    for (const [from, mode] of [
      ['a', 'direct'],
      ['a', 'amino-json'],
      ['dev', 'amino-json'],
    ] as const) {
      const before = await balanceOf('c')
      const { code } = await send('bank', 'multi-send', 'b', 'c', '7anat', '--from', from, '--sign-mode', mode)
      expect([code, await balanceOf('c')]).toEqual([0, before + 7n])
    }
  })

  it('that cannot be is refused with the words of the node, and exit status 1', async () => {
    const estimate = await chain('tx', 'bank', 'send', 'a', '5nat', '--from', 'b', '--yes')
    expect(estimate).toMatchObject({ status: 1, stderr: expect.stringContaining('insufficient funds') as string })
    const fee = ['--gas', '100000', '--fees', '1anat']
    const low = await chain('tx', 'bank', 'send', 'a', '1anat', '--from', 'dev', '--yes', ...fee)
    expect([low.status, JSON.parse(low.stdout)]).toMatchObject([1, { code: 13, codespace: 'sdk' }])
    const unknown = await chain('tx', 'bank', 'send', 'a', '1anat', '--from', `0x${'77'.repeat(20)}`, '--yes', ...fee)
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('does not exist') as string })
    const elsewhere = await chain('tx', 'bank', 'send', 'a', '1anat', '--from', 'dev', '--yes', '--chain-id', 'other-1')
    expect(elsewhere).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`is of "${CHAIN_ID}" (cli/7)`) as string,
    })
    const unasked = await chain('tx', 'bank', 'send', 'a', '1anat', '--from', 'dev')
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining('--yes') as string })
  })
})

describe('a transaction in files', () => {
  it('is signed offline and broadcast by somebody else', async () => {
    const before = await balanceOf('b')
    const unsigned = write(
      'unsigned.json',
      await succeed('tx', 'bank', 'send', 'b', '3anat', '--from', 'dev', '--generate-only'),
    )
    const { info } = await ask<{ info: { account_number: string; sequence: string } }>(
      'query',
      'auth',
      'account-info',
      'dev',
    )
    const numbers = ['--account-number', info.account_number, '--sequence', info.sequence]
    const offline = ['--offline', '--chain-id', CHAIN_ID, ...numbers, '--node', 'tcp://127.0.0.1:1']
    const signed = write('signed.json', await succeed('tx', 'sign', unsigned, '--from', 'dev', ...offline))
    const simulated = await ask<{ gas_info: { gas_used: string } }>('tx', 'simulate', signed)
    expect(Number(simulated.gas_info.gas_used)).toBeGreaterThan(50_000)
    const bytes = await succeed('tx', 'encode', signed)
    expect(JSON.parse(await succeed('tx', 'decode', bytes))).toEqual(JSON.parse(readFileSync(signed, 'utf8')))
    expect(await ask<Response>('tx', 'broadcast', signed, '--wait')).toMatchObject({ code: 0 })
    expect(await balanceOf('b')).toBe(before + 3n)
    const again = await chain('tx', 'broadcast', signed)
    expect(again.status).toBe(1)
  })

  it('of a multisig is signed by its keys one by one', async () => {
    expect(await send('bank', 'send', 'both', '1nat', '--from', 'dev')).toMatchObject({ code: 0 })
    const before = await balanceOf('c')
    const unsigned = write(
      'unsigned.json',
      await succeed('tx', 'bank', 'send', 'c', '9anat', '--from', 'both', '--generate-only'),
    )
    const files: string[] = []
    for (const name of ['c', 'a']) {
      const file = join(folder, `${name}.sig`)
      await succeed('tx', 'sign', unsigned, '--from', name, '--multisig', 'both', '--output-document', file)
      files.push(file)
    }
    const tooFew = await chain('tx', 'multisign', unsigned, 'both', files[0] ?? '')
    expect(tooFew).toMatchObject({ status: 1, stderr: expect.stringContaining('the multisig needs 2') as string })
    const signed = write('signed.json', await succeed('tx', 'multisign', unsigned, 'both', ...files))
    expect(await ask<Response>('tx', 'broadcast', signed, '--wait')).toMatchObject({ code: 0, raw_log: '' })
    expect(await balanceOf('c')).toBe(before + 9n)
  })
})

describe('queries', () => {
  it('print what REST prints, at any height', async () => {
    const address = await addressOf('dev')
    const response = await fetch(`${node().urls.rest}/cosmos/bank/v1beta1/balances/${address}?pagination.limit=1`)
    expect(await ask('query', 'bank', 'balances', 'dev', '--limit', '1')).toEqual(await response.json())
    const early = await ask<{ balance: { amount: string } }>('q', 'bank', 'balance', 'a', 'anat', '--height', '1')
    expect(early.balance.amount).toBe('0')
    const text = await succeed('query', 'bank', 'total', '--output', 'text')
    expect(text).toMatch(/^supply:\n {2}- denom: anat\n {4}amount: "\d+"\n/)
  })

  it('of every module answer', async () => {
    for (const words of [
      ['auth', 'params'],
      ['auth', 'module-account', 'gov'],
      ['bank', 'params'],
      ['staking', 'params'],
      ['staking', 'pool'],
      ['slashing', 'params'],
      ['distribution', 'params'],
      ['mint', 'params'],
      ['gov', 'params', 'voting'],
      ['upgrade', 'plan'],
      ['consensus', 'params'],
      ['evidence', 'list'],
      ['admission', 'params'],
      ['erc20', 'params'],
      ['erc20', 'view', 'utusd'],
      ['feemarket', 'base-fee'],
      ['node', 'config'],
      ['comet', 'get-node-info'],
      ['block', '1'],
      ['block-results', '1'],
      ['validator-set'],
    ]) {
      expect(await askHere(...words), words.join(' ')).toBeTypeOf('object')
    }
  })

  it('that are refused say why, with exit status 1; wrong words have 2', async () => {
    const missing = await chain('query', 'tx', '00'.repeat(32))
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('not found') as string })
    const future = await chain('query', 'bank', 'balances', 'dev', '--height', '99999999')
    expect(future.status).toBe(1)
    expect((await chain('query', 'gov', 'proposal', 'one')).status).toBe(2)
    const unreachable = await chain('query', 'bank', 'params', '--node', 'tcp://127.0.0.1:1')
    expect(unreachable).toMatchObject({ status: 1, stderr: expect.stringContaining('--node') as string })
  })
})

describe('staking and governance', () => {
  it('delegates, takes rewards, and takes the delegation back', async () => {
    const { validators } = await ask<{ validators: readonly { operator_address: string }[] }>(
      'query',
      'staking',
      'validators',
    )
    const validator = validators[0]?.operator_address ?? ''
    expect(await send('staking', 'delegate', validator, '100nat', '--from', 'dev2')).toMatchObject({ code: 0 })
    type Delegation = { delegation_response: { balance: { amount: string } } }
    const { delegation_response } = await ask<Delegation>('query', 'staking', 'delegation', 'dev2', validator)
    expect(delegation_response.balance.amount).toBe((100n * 10n ** 18n).toString())
    expect(await send('distribution', 'withdraw-all-rewards', '--from', 'dev2')).toMatchObject({ code: 0 })
    expect(await send('staking', 'unbond', validator, '40nat', '--from', 'dev2')).toMatchObject({ code: 0 })
    type Unbonding = { unbond: { entries: readonly { balance: string; creation_height: string }[] } }
    const { unbond } = await ask<Unbonding>('query', 'staking', 'unbonding-delegation', 'dev2', validator)
    expect(unbond.entries[0]?.balance).toBe((40n * 10n ** 18n).toString())
    const height = unbond.entries[0]?.creation_height ?? ''
    const cancelled = await send('staking', 'cancel-unbond', validator, '40nat', height, '--from', 'dev2')
    expect(cancelled).toMatchObject({ code: 0 })
  })

  it('edits what the validator says of itself', async () => {
    const changed = await send('staking', 'edit-validator', '--moniker', 'renamed', '--from', 'dev')
    expect(changed).toMatchObject({ code: 0 })
    const shown = await succeed('query', 'staking', 'validator', 'dev')
    expect(shown).toContain('"moniker":"renamed"')
  })

  it('proposes, deposits and votes', async () => {
    const content = { title: 'T', summary: 'S', deposit: '900nat', metadata: '', messages: [] as object[] }
    const { account } = await ask<{ account: { base_account: { address: string } } }>(
      'query',
      'auth',
      'module-account',
      'gov',
    )
    const amount = [{ denom: 'anat', amount: '1' }]
    const from = account.base_account.address
    content.messages.push({
      '@type': '/cosmos.bank.v1beta1.MsgSend',
      from_address: from,
      to_address: await addressOf('a'),
      amount,
    })
    const file = write('proposal.json', JSON.stringify(content))
    expect(await send('gov', 'submit-proposal', file, '--from', 'dev')).toMatchObject({ code: 0 })
    expect(await send('gov', 'deposit', '1', '100nat', '--from', 'dev2')).toMatchObject({ code: 0 })
    expect(await send('gov', 'weighted-vote', '1', 'yes=0.6,no=0.4', '--from', 'dev2')).toMatchObject({ code: 0 })
    expect(await send('gov', 'vote', '1', 'yes', '--from', 'dev')).toMatchObject({ code: 0 })
    const { proposals } = await ask<{ proposals: readonly object[] }>(
      'query',
      'gov',
      'proposals',
      '--proposal-status',
      'voting-period',
    )
    expect(proposals).toMatchObject([{ id: '1', title: 'T', messages: content.messages }])
    const { votes } = await ask<{ votes: readonly object[] }>('query', 'gov', 'votes', '1')
    expect(votes.length).toBe(2)
    const plan = ['--upgrade-height', '100000', '--title', 'U', '--summary', 'S', '--deposit', '1000nat']
    const upgrade = await send('upgrade', 'software-upgrade', 'v2', ...plan, '--from', 'dev')
    expect(upgrade).toMatchObject({ code: 0 })
    expect(await send('gov', 'cancel-proposal', '2', '--from', 'dev')).toMatchObject({ code: 0 })
  })

  it('proposes other parameters of the order book', async () => {
    const texts = ['--title', 'P', '--summary', 'S', '--deposit', '1000nat']
    const params = await send('clob', 'propose-params', '--block-weight', '5000', ...texts, '--from', 'dev')
    expect(params).toMatchObject({ code: 0 })
    const { params: before } = await ask<{ params: Readonly<Record<string, unknown>> }>('query', 'clob', 'params')
    const { proposals } = await ask<{ proposals: readonly { messages: readonly object[] }[] }>(
      'query',
      'gov',
      'proposals',
    )
    // What no flag names stays.
    expect(proposals.at(-1)?.messages).toMatchObject([
      { '@type': '/nat.clob.v1.MsgUpdateParams', params: { ...before, block_weight: 5_000 } },
    ])
    expect(before).not.toMatchObject({ block_weight: 5_000 })
  })
})

/** Nobody holds a place in the pool for free: with what can never be paid for, never execute, or must not come again. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { getContractAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { POOL_CODES } from '../../app/errors.ts'
import { APPLICATION_DEFAULTS, type PoolSettings } from '../../app/settings.ts'
import { uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex, bytesToUnprefixedHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { MAX_TRANSACTION_WEIGHT } from '../../core/limits.ts'
import { MAX_BLOCK_WEIGHT_KEY, WEIGHT_ADDRESS } from '../../modules/weight/keys.ts'
import { txService } from '../../proto/index.ts'
import { makeAccount } from '../sim/accounts.ts'
import { sendMessage, signNative } from '../sim/native-transactions.ts'
import { withStake } from '../sim/stake-genesis.ts'
import { EVM_CHAIN_ID, GWEI, signTransaction, type TransactionFields, type TransactionType } from '../sim/traffic.ts'
import { blockOf, openLone, type LoneOptions, VALIDATORS } from './lone-application.ts'

/** Sends its balance, or that of the account that delegates to it, to whoever calls. */
const GIVES_ALL = '5f5f5f5f47335af100'
const DEPLOY_GIVES_ALL: Hex = `0x68${GIVES_ALL}5f5260096017f3`
const FUNDS = 10n ** 24n
const CHAIN_ID = 'localnat-1'
const LEAST_WEIGHT = uint64ToBytes(MAX_TRANSACTION_WEIGHT)

type Three = readonly [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]

const openPool = async (pool: Partial<PoolSettings>, options: LoneOptions = {}) => {
  const settings = { pool: { ...APPLICATION_DEFAULTS.pool, ...pool } }
  const { application, accounts } = await openLone({ settings, ...options })
  let height = 0
  const check = (raw: Uint8Array, recheck = false) => application.checkTx(raw, recheck)
  const commit = async (raws: readonly Uint8Array[]) => {
    height++
    const block = blockOf(height, raws)
    expect(await application.processProposal(block)).toBe(true)
    const { transactionResults } = await application.finalizeBlock(block)
    await application.commit()
    return transactionResults
  }
  const propose = () => application.prepareProposal({ ...blockOf(height + 1, []), votes: [], maxTxBytes: 1_000_000 })
  const status = async () => {
    const { pending, queued } = JSON.parse(await application.ask('txpoolStatus', {}, 0)) as Record<string, Hex>
    return [Number(pending), Number(queued)]
  }
  const sign = (
    account: PrivateKeyAccount,
    nonce: number,
    fields: Partial<TransactionFields> = {},
    type: TransactionType = 2,
  ) =>
    signTransaction(account, type, {
      nonce,
      maxFeePerGas: 100n * GWEI,
      ...(fields.data === undefined && { to: account.address }),
      ...fields,
    })
  /** GetTx of the native service. */
  const getTx = async (raw: Uint8Array) => {
    const { GetTxRequestSchema, GetTxResponseSchema } = txService
    const hash = bytesToUnprefixedHex(sha256(raw))
    const data = Buffer.from(toBinary(GetTxRequestSchema, create(GetTxRequestSchema, { hash }))).toString('base64')
    const answer = await application.ask('native', { path: '/cosmos.tx.v1beta1.Service/GetTx', data, height: 0 }, 0)
    return fromBinary(GetTxResponseSchema, Buffer.from(JSON.parse(answer) as string, 'base64')).txResponse
  }
  return { application, accounts: accounts as unknown as Three, check, commit, propose, status, sign, getTx }
}

it('lets one transaction of a delegated account execute at a time, and drops all that it cannot pay for', async () => {
  const { accounts, application, check, commit, propose, status, sign } = await openPool({ accountQueue: 10 })
  const [victim, mule] = accounts
  const target = getContractAddress({ from: mule.address, nonce: 0n })
  const authorizations = [{ account: victim, to: target, nonce: 0 }]
  const delegation = await sign(mule, 1, { to: mule.address, gas: 100_000n, authorizations }, 4)
  const results = await commit([await sign(mule, 0, { data: DEPLOY_GIVES_ALL, gas: 1_000_000n }), delegation])
  expect(results.map(({ code }) => code)).toEqual([0, 0])
  const raws = await Promise.all(Array.from({ length: 14 }, (_, index) => sign(victim, 1 + index, { gas: 100_000n })))
  const answers = raws.map((raw) => check(raw))
  expect(answers.map(({ code }) => code)).toEqual([
    0,
    ...Array<number>(10).fill(POOL_CODES.waiting),
    ...Array<number>(3).fill(POOL_CODES.accountLimit),
  ])
  expect(answers[1]?.log).toMatch(/^in-flight transaction limit reached for delegated accounts/)
  expect(await status()).toEqual([1, 10])
  // A wallet is answered as by geth: its transaction waits.
  const seventh = await sign(victim, 2, { gas: 100_000n, maxFeePerGas: 200n * GWEI, tip: 2n * GWEI })
  expect(await application.ask('sendRawTransaction', { raw: bytesToHex(seventh) }, 0)).toMatch(/^"0x[0-9a-f]{64}"$/)
  await commit(await propose())
  expect(await status()).toEqual([1, 9])
  expect((await commit([await sign(mule, 2, { to: victim.address, gas: 100_000n })])).map(({ code }) => code)).toEqual([
    0,
  ])
  expect(await status()).toEqual([0, 0])
})

it('lets one transaction of an account execute while an authorization of it waits', async () => {
  const { accounts, check, commit, status, sign } = await openPool({})
  const [authority, sponsor] = accounts
  const own = await Promise.all([0, 1, 2].map((nonce) => sign(authority, nonce)))
  for (const raw of own) expect(check(raw).code).toBe(0)
  const authorizations = [{ account: authority, to: sponsor.address, nonce: 3 }]
  const sponsored = await sign(sponsor, 0, { to: sponsor.address, gas: 100_000n, authorizations }, 4)
  expect(check(sponsored).code).toBe(0)
  expect(await status()).toEqual([2, 2])
  expect(own.map((raw) => check(raw, true).code)).toEqual([0, POOL_CODES.waiting, POOL_CODES.waiting])
  // One of an old nonce, and one for another chain, authorize nothing.
  await commit([own[0] as Uint8Array, sponsored])
  expect(await status()).toEqual([2, 0])
  for (const [index, wrong] of [
    { account: authority, to: sponsor.address, nonce: 0 },
    { account: authority, to: sponsor.address, nonce: 3, chainId: 1 },
  ].entries()) {
    const raw = await sign(sponsor, 1 + index, { to: sponsor.address, gas: 100_000n, authorizations: [wrong] }, 4)
    expect(check(raw).code).toBe(0)
  }
  expect(await status()).toEqual([4, 0])
})

it('recovers no authorizations for a transaction that has no place', async () => {
  const { accounts, check, sign } = await openPool({})
  const [sender] = accounts
  const price = 1_000n * GWEI
  expect(check(await sign(sender, 5, { gas: 21_000n, maxFeePerGas: price, tip: price })).code).toBe(POOL_CODES.waiting)
  // Each recovers to some account: r and s are one.
  const word = `0x${'0'.repeat(63)}1` as const
  const authorization = { address: sender.address, chainId: 0, nonce: 1_000, r: word, s: word, yParity: 0 } as const
  const crowded = async (count: number, nonce: number, fee: bigint): Promise<Uint8Array> =>
    hexToBytes(
      await sender.signTransaction({
        ...{ type: 'eip7702', chainId: Number(EVM_CHAIN_ID), nonce, to: sender.address, gas: 16_700_000n },
        ...{ maxFeePerGas: fee, maxPriorityFeePerGas: fee },
        authorizationList: Array.from({ length: count }, () => authorization),
      }),
    )
  const timeOf = (raw: Uint8Array, code: number): number => {
    const fromMs = performance.now()
    expect(check(raw).code).toBe(code)
    return performance.now() - fromMs
  }
  const refused: number[] = []
  const taken: number[] = []
  for (let round = 0; round < 5; round++) {
    refused.push(timeOf(await crowded(600, 5, 100n * GWEI + BigInt(round)), POOL_CODES.replacementUnderpriced))
    taken.push(timeOf(await crowded(600, 6 + round, 100n * GWEI), POOL_CODES.waiting))
  }
  // What is taken has them recovered: on any machine that is several times as much.
  expect(Math.min(...refused)).toBeLessThan(Math.min(...taken) / 3)
})

it('promotes only what the account can pay for together, and drops what a block made unpayable', async () => {
  const { accounts, check, commit, propose, status, sign } = await openPool({ globalSlots: 60, accountQueue: 40 })
  const [one, two, honest] = accounts
  const value = (FUNDS * 9n) / 10n
  for (const account of [one, two]) {
    for (let nonce = 1; nonce < 30; nonce++) {
      expect(check(await sign(account, nonce, { to: honest.address, value, tip: 5n * GWEI })).code).toBe(
        POOL_CODES.waiting,
      )
    }
    expect(check(await sign(account, 0, { to: honest.address, tip: 5n * GWEI })).code).toBe(0)
  }
  expect(await status()).toEqual([4, 56])
  expect(await commit(await propose())).toHaveLength(4)
  expect(await status()).toEqual([0, 0])
  for (let nonce = 0; nonce < 8; nonce++) expect(check(await sign(honest, nonce)).code).toBe(0)
})

it('drops for an arrival in a full pool just what it needs room for', async () => {
  const keys = Array.from({ length: 401 }, (_, index) => makeAccount(`0x${(index + 1).toString(16).padStart(64, '0')}`))
  const balances = keys.map(({ address }) => ({ address, coins: [{ denom: 'anat', amount: FUNDS.toString() }] }))
  const state = withStake({ evm: { chain_id: String(EVM_CHAIN_ID) }, bank: { balances } }, VALIDATORS)
  const appState = utf8ToBytes(JSON.stringify(state))
  const { check, sign } = await openPool({ globalSlots: 400, maxBytes: 400 * 150 }, { genesis: { appState } })
  const raws = await Promise.all(keys.slice(0, 400).map((account) => sign(account, 0)))
  for (const raw of raws) expect(check(raw).code).toBe(0)
  const [last] = keys.slice(-1) as [PrivateKeyAccount]
  const held = () => raws.filter((raw) => check(raw, true).code === 0).length
  expect(check(await sign(last, 0)).code).toBe(POOL_CODES.full)
  expect(held()).toBe(400)
  expect(check(await sign(last, 0, { tip: GWEI + 1n })).code).toBe(0)
  expect(held()).toBe(399)
  // The pool counts bytes: this one takes the place of as many as it is long.
  const long = await sign(last, 1, {
    tip: GWEI + 1n,
    data: `0x${'11'.repeat(30_000)}`,
    to: last.address,
    gas: 2_000_000n,
  })
  expect(check(long).code).toBe(0)
  const [bytes = 0] = raws.map(({ length }) => length)
  const free = 400 * 150 - 400 * bytes
  expect(399 - held()).toBe(Math.ceil((long.length - free) / bytes))
})

it('ranks an account by the least that it pays before the last, which cannot come in alone', async () => {
  const { accounts, check, sign } = await openPool({ globalSlots: 20 })
  const [greedy, honest] = accounts
  const stuck = await sign(greedy, 0, { tip: GWEI })
  expect(check(stuck).code).toBe(0)
  for (let nonce = 1; nonce < 20; nonce++) expect(check(await sign(greedy, nonce, { tip: 90n * GWEI })).code).toBe(0)
  for (let nonce = 0; nonce < 5; nonce++) expect(check(await sign(honest, nonce, { tip: 2n * GWEI })).code).toBe(0)
})

it('does not take again for a while what took too long or cannot be executed', async () => {
  const journals: (readonly Uint8Array[])[] = []
  const { accounts, check, commit, propose, status, sign, application } = await openPool(
    {},
    {
      environment: {
        journal: { load: () => [], append: () => undefined, rewrite: (raws) => void journals.push(raws) },
      },
      engine: (real) => ({
        systemCall: (...call) => real.systemCall(...call),
        callContract: (...call) => real.callContract(...call),
        execute: (state, environment, message, options) => {
          if (message.value === 13n) throw new TypeError('the engine is broken')
          return real.execute(state, environment, message, options)
        },
      }),
    },
  )
  const [one, two] = accounts
  const [faulty, behind, good] = [await sign(one, 0, { value: 13n }), await sign(one, 1), await sign(two, 0)]
  for (const raw of [faulty, behind, good]) expect(check(raw).code).toBe(0)
  expect(await propose()).toEqual([good])
  expect(await status()).toEqual([1, 1])
  expect(check(faulty, true).code).toBe(POOL_CODES.setAside)
  expect(check(faulty).code).toBe(POOL_CODES.setAside)
  await expect(application.ask('sendRawTransaction', { raw: bytesToHex(faulty) }, 0)).rejects.toMatchObject({
    codespace: 'pool',
    code: POOL_CODES.setAside,
  })
  // Nor does the journal bring it again.
  for (let height = 1; height <= 10; height++) await commit([])
  expect(journals.at(-1)).toEqual([behind, good])
  // Another with its nonce comes in, and what waited can execute.
  expect(check(await sign(one, 0)).code).toBe(0)
  expect(await status()).toEqual([3, 0])
})

it('answers a native transaction as failed once another took its sequence', async () => {
  const { accounts, check, commit, sign, getTx } = await openPool({})
  const [sender] = accounts
  const messages = [sendMessage(sender, new Uint8Array(20).fill(7), [{ denom: 'anat', amount: '1' }])]
  const native = (sequence: number) =>
    signNative({ chainId: CHAIN_ID, messages, signers: [{ account: sender, sequence }], gasPrice: 10n * GWEI })
  const [first, second] = [await native(0), await native(1)]
  for (const raw of [first, second]) expect(check(raw).code).toBe(0)
  // Replaced in this pool, it may come from another: it is not known to have failed.
  expect(check(await sign(sender, 0, { tip: 50n * GWEI })).code).toBe(0)
  await expect(getTx(first)).rejects.toThrow(/tx not found/)
  await commit([await sign(sender, 0, { value: 1n }), second])
  expect(await getTx(first)).toMatchObject({
    code: 32,
    codespace: 'sdk',
    height: 0n,
    rawLog: 'account sequence mismatch, expected 2, got 0: incorrect account sequence',
  })
  expect(await getTx(second)).toMatchObject({ code: 0, height: 1n })
  expect(check(first).code).toBe(32)
})

it('drops native transactions whose time or whose other signer has passed', async () => {
  const { accounts, check, commit, status, application, sign, getTx } = await openPool({})
  const [sender, other, third] = accounts
  const to = new Uint8Array(20).fill(7)
  const coins = [{ denom: 'anat', amount: '1' }]
  const both = (sequence: number) =>
    signNative({
      chainId: CHAIN_ID,
      messages: [sendMessage(sender, to, coins), sendMessage(other, to, coins)],
      signers: [
        { account: sender, sequence: 0 },
        { account: other, sequence },
      ],
    })
  expect(check(await sign(other, 0)).code).toBe(0)
  // What must come before it of another account may never come.
  expect(check(await both(1)).code).toBe(32)
  const shared = await both(0)
  expect(check(shared).code).toBe(0)
  const timed = await signNative({
    chainId: CHAIN_ID,
    messages: [sendMessage(third, to, coins)],
    signers: [{ account: third, sequence: 0 }],
    timeoutHeight: 2n,
  })
  expect(check(timed).code).toBe(0)
  await commit([await sign(other, 0)])
  expect([check(shared, true).code, check(timed, true).code]).toEqual([POOL_CODES.gone, 0])
  await commit([])
  expect(check(timed, true).code).toBe(POOL_CODES.gone)
  expect(await status()).toEqual([0, 0])
  expect(await getTx(timed)).toMatchObject({ code: 30, codespace: 'sdk' })
  expect(
    await application.ask(
      'transactionCount',
      { address: bytesToHex(hexToBytes(sender.address)), block: { tag: 'pending' } },
      0,
    ),
  ).toBe('"0x0"')
})

it('drops native transactions for which blocks have no time any more', async () => {
  const { accounts, check, commit, propose, sign } = await openPool(
    {},
    {
      engine: (real) => ({
        systemCall: (...call) => real.systemCall(...call),
        callContract: (...call) => real.callContract(...call),
        execute: (state, environment, message, options) => {
          // Stands for a vote of the governance: the limit of the block's weight falls to the least that there may be.
          if (message.value === 13n) state.setValue(WEIGHT_ADDRESS, MAX_BLOCK_WEIGHT_KEY, LEAST_WEIGHT)
          return real.execute(state, environment, message, options)
        },
      }),
    },
  )
  const [voter, sender, other] = accounts
  const message = (account: PrivateKeyAccount) =>
    sendMessage(account, new Uint8Array(20).fill(7), [{ denom: 'anat', amount: '1' }])
  const native = (account: PrivateKeyAccount, gas: bigint) =>
    signNative({ chainId: CHAIN_ID, messages: [message(account)], signers: [{ account, sequence: 0 }], gas })
  const [tooLong, fits] = [await native(sender, 330_000_000n), await native(other, 270_000_000n)]
  for (const raw of [tooLong, fits]) expect(check(raw).code).toBe(0)
  await commit([await sign(voter, 0, { value: 13n })])
  expect([check(tooLong, true).code, check(fits, true).code]).toEqual([POOL_CODES.gone, 0])
  expect(check(tooLong).code).toBe(41)
  expect(await propose()).toEqual([fits])
})

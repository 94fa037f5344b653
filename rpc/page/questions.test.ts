/** What the page reads of answers, and how it writes amounts; viem and the devnet's own table are the witnesses. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { privateKeyToAccount } from 'viem/accounts'
import { formatUnits, hexToBytes, keccak256, type TransactionSerializable } from 'viem'
import { describe, expect, it } from 'vitest'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { hexToBytes as bytesOf } from '../../core/hex.ts'
import * as questions from './questions.js'
import { ethereumChain, keplrChain, walletsOf } from './wallets.js'

const account = privateKeyToAccount(`0x${'46'.repeat(32)}`)
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const FEES = { gas: 21_000n, maxFeePerGas: 7n, maxPriorityFeePerGas: 1n }

const responseOf = (messages: readonly object[], changes: object = {}) => ({
  height: '7',
  txhash: 'AB',
  codespace: '',
  code: 0,
  raw_log: '',
  timestamp: '2026-11-25T17:57:25Z',
  events: [],
  tx: { body: { messages, memo: '' } },
  ...changes,
})
const read = (response: object) =>
  questions.transactionsAbove(0).read({ total: '1', tx_responses: [response] }).newest[0]

describe('a transaction of Ethereum', () => {
  const access = [{ address: TO, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
  const kinds: readonly (readonly [string, TransactionSerializable])[] = [
    ['legacy', { type: 'legacy', gasPrice: 7n, gas: 21_000n, nonce: 300, chainId: 2517, value: 1n }],
    ['without a chain id', { type: 'legacy', gasPrice: 7n, gas: 21_000n, nonce: 0 }],
    ['with an access list', { type: 'eip2930', gasPrice: 7n, gas: 60_000n, chainId: 2517, accessList: access }],
    ['of EIP-1559', { type: 'eip1559', chainId: 2517, ...FEES, data: `0x${'ab'.repeat(70_000)}` }],
    ['with authorizations', { type: 'eip7702', chainId: 2517, ...FEES, authorizationList: [] }],
  ]

  it.each(kinds)('%s shows its sender and its receiver', async (_, fields) => {
    for (const to of [TO, undefined] as const) {
      if (to === undefined && fields.type === 'eip7702') continue
      const raw = await account.signTransaction({ ...fields, to } as TransactionSerializable)
      const message = {
        '@type': '/cosmos.evm.vm.v1.MsgEthereumTx',
        from: Buffer.from(hexToBytes(account.address)).toString('base64'),
        raw: Buffer.from(hexToBytes(raw)).toString('base64'),
      }
      const events = [
        { type: 'ethereum_tx', attributes: [{ key: 'ethereumTxHash', value: keccak256(raw), index: true }] },
      ]
      expect(read(responseOf([message], { events }))).toMatchObject({
        hash: keccak256(raw),
        from: account.address.toLowerCase(),
        what: to ?? 'creates a contract',
        isFailed: false,
        outcome: 'done',
      })
    }
  })
})

describe('a native transaction', () => {
  it('shows its messages, and its memo as it is', () => {
    const memo = '<img src=x onerror=alert(1)><script>alert(2)</script>'
    const message = { '@type': '/cosmos.bank.v1beta1.MsgSend' }
    const shown = read(responseOf([message, message], { tx: { body: { messages: [message, message], memo } } }))
    expect(shown).toMatchObject({ hash: 'AB', what: 'MsgSend, MsgSend', memo, isFailed: false, height: 7 })
  })

  it('is cut where it is long', () => {
    const many = Array.from({ length: 1_000 }, () => ({ '@type': '/cosmos.bank.v1beta1.MsgSend' }))
    const shown = read(responseOf(many, { code: 5, codespace: 'sdk', raw_log: 'x'.repeat(10_000) }))
    expect([shown?.what.length, shown?.outcome.length]).toEqual([201, 209])
  })

  it('says why it failed', () => {
    const failed = { code: 5, codespace: 'sdk', raw_log: 'insufficient funds' }
    expect(read(responseOf([{ '@type': '/a.b.MsgC' }], failed))).toMatchObject({
      isFailed: true,
      outcome: 'failed: insufficient funds',
    })
  })
})

it('names what an answer lacks', () => {
  expect(() => questions.status.read({ height: '5' })).toThrow('the answer has no member timestamp')
  expect(() => questions.status.read({ height: 'five', timestamp: '' })).toThrow(
    'height of the answer is no whole number',
  )
  expect(() => questions.markets.read({ markets: {} })).toThrow('markets of the answer is no list')
})

describe('amounts', () => {
  it.each([0n, 1n, -1n, 10n ** 18n, 1_234_500_000_000_000_000n, 10n ** 30n + 1n, -15n * 10n ** 17n])('%s', (amount) => {
    expect(questions.inUnits(amount, 18)).toBe(formatUnits(amount, 18))
    expect(questions.inUnits(amount, 0)).toBe(formatUnits(amount, 0))
  })

  it('of a price are display units of quote for one of base', () => {
    const market = { id: 1, base: 'anat', quote: 'utusd', lotSize: 10n ** 15n, factor: 1n, status: 'active' }
    expect(questions.priceOf(1_250n, market, { base: 18, quote: 6 })).toBe('1.25')
    const bitcoin = { ...market, lotSize: 1_000n, factor: 10n }
    expect(questions.priceOf(65_000n, bitcoin, { base: 8, quote: 6 })).toBe('65000')
  })
})

it('the ten accounts are those of the devnet', () => {
  const expected = devnetAccounts().map(({ address }) => [address, encodeBech32(bytesOf(address))])
  expect(questions.DEVNET_ACCOUNTS).toEqual(expected)
})

describe('wallets', () => {
  const network = {
    ...{ chainId: 'localnat-1', evmChainId: 2517, jsonRpc: 'http://localhost:8545' },
    ...{ comet: 'http://localhost:26657', rest: 'http://localhost:1317' },
  }

  it('are told what docs/clients.md says', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8')
    const told = async (call: string): Promise<object> => {
      const code = new RegExp(`await (${call}\\([\\s\\S]*?\\n\\}\\))\\n`).exec(page)?.[1] ?? ''
      let given = {}
      const take = (value: object) => {
        given = value
      }
      runInNewContext(code, { ethereum: { request: take }, keplr: { experimentalSuggestChain: take } })
      return given
    }
    const named = { chainName: 'NAT localnat-1' }
    const [suggested] = ((await told('ethereum.request')) as { readonly params: readonly object[] }).params
    expect(ethereumChain(network)).toEqual({ ...suggested, ...named })
    expect(keplrChain(network)).toEqual({ ...(await told('keplr.experimentalSuggestChain')), ...named })
  })

  it('that a browser does not have get no button', async () => {
    expect(walletsOf({}, () => network)).toEqual([])
    const asked: unknown[] = []
    const ethereum = {
      request: (call: unknown) => {
        asked.push(call)
        return Promise.resolve(null)
      },
    }
    for (const [name, add] of walletsOf({ ethereum }, () => network)) {
      expect(name).toBe('MetaMask')
      await add()
    }
    expect(asked).toEqual([{ method: 'wallet_addEthereumChain', params: [ethereumChain(network)] }])
  })
})

/** Transactions that peers and wallets can send to hurt the node, before any of them is in a block. */
import { expect, it } from 'vitest'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { POOL_CODES } from '../../app/errors.ts'
import { APPLICATION_DEFAULTS } from '../../app/settings.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { encodeRlp, type RlpInput } from '../../core/rlp.ts'
import { signTransaction } from '../sim/traffic.ts'
import { blockOf, openLone } from './lone-application.ts'

const ONE = Uint8Array.of(1)
const GAS = Uint8Array.of(0x52, 0x08)
const HUGE = new Uint8Array(100_000).fill(0xff)

const nested = (depth: number): Uint8Array => {
  // Built from the outside: a list of one list of one list.
  const out = new Uint8Array(4 * depth)
  for (let level = 0; level < depth; level++) {
    const rest = 4 * (depth - level - 1)
    out.set([0xfa, rest >> 16, (rest >> 8) & 0xff, rest & 0xff], 4 * level)
  }
  return out
}

const legacy = (fields: {
  readonly price?: RlpInput
  readonly value?: RlpInput
  readonly v?: RlpInput
}): Uint8Array => {
  const { price = ONE, value = EMPTY_BYTES, v = Uint8Array.of(27) } = fields
  return encodeRlp([EMPTY_BYTES, price, GAS, new Uint8Array(20), value, EMPTY_BYTES, v, ONE, ONE])
}

const ODD: readonly (readonly [name: string, raw: Uint8Array])[] = [
  ['nothing', EMPTY_BYTES],
  ['one byte', ONE],
  ['an empty list', Uint8Array.of(0xc0)],
  ['lists in lists', nested(30_000)],
  ['lists in lists in a typed one', Uint8Array.from([2, ...nested(30_000)])],
  ['a length beyond its end', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
  ['a huge value', legacy({ value: HUGE })],
  ['a huge price', legacy({ price: HUGE })],
  ['a huge chain id', legacy({ v: HUGE })],
  [
    'a huge typed chain id',
    Uint8Array.from([2, ...encodeRlp([HUGE, ONE, ONE, ONE, GAS, new Uint8Array(20), ONE, ONE, [], ONE, ONE, ONE])]),
  ],
]

it.each(ODD)('%s is refused in a short answer, in CheckTx, in a proposal and when decided', async (_, raw) => {
  const { application } = await openLone()
  const { code, log } = application.checkTx(raw, false)
  expect(code).not.toBe(0)
  expect(log.length).toBeLessThan(400)
  expect(application.checkTx(raw, true).code).not.toBe(0)
  await expect((async () => application.ask('sendRawTransaction', { raw: bytesToHex(raw) }, 0))()).rejects.toSatisfy(
    (error) => error instanceof CodedError && error.message.length < 400,
  )
  expect(await application.processProposal(blockOf(1, [raw]))).toBe(false)
  const { transactionResults } = await application.finalizeBlock(blockOf(1, [raw]))
  expect(transactionResults[0]?.code).not.toBe(0)
  expect(transactionResults[0]?.log.length).toBeLessThan(400)
  await application.commit()
  expect(application.height).toBe(1)
})

it('a full disk refuses what wallets send, takes what peers send, and stops no block', async () => {
  const fail = (): never => {
    throw Object.assign(new TypeError('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  const { application, accounts, complaints } = await openLone({
    environment: { journal: { load: () => [], append: fail, rewrite: fail } },
  })
  const [wallet, peer] = accounts as readonly [(typeof accounts)[number], (typeof accounts)[number]]
  const sent = await signTransaction(wallet, 2, { nonce: 0, to: peer.address })
  await expect((async () => application.ask('sendRawTransaction', { raw: bytesToHex(sent) }, 0))()).rejects.toThrow(
    'the disk of the node does not take it',
  )
  const gossiped = await signTransaction(peer, 2, { nonce: 0, to: wallet.address })
  expect(application.checkTx(gossiped, false).code).toBe(0)
  const proposed = await application.prepareProposal({ ...blockOf(1, []), votes: [], maxTxBytes: 1_000_000 })
  expect(proposed).toEqual([gossiped])
  for (let height = 1; height <= 10; height++) {
    await application.finalizeBlock(blockOf(height, height === 1 ? proposed : []))
    await application.commit()
  }
  expect(complaints).toEqual(['the journal of the pool cannot be written'])
})

it('a long access list fills the pool with what it takes in memory', async () => {
  const { application, accounts } = await openLone({
    settings: { pool: { ...APPLICATION_DEFAULTS.pool, maxBytes: 200_000 } },
  })
  const codes: number[] = []
  for (const account of accounts) {
    const accessList = Array.from({ length: 300 }, () => ({ address: account.address, storageKeys: [] }))
    const raw = await account.signTransaction({
      type: 'eip2930',
      chainId: 2517,
      nonce: 0,
      gas: 900_000n,
      gasPrice: 10n ** 10n,
      accessList,
    })
    expect(raw.length / 2).toBeLessThan(8_000)
    codes.push(application.checkTx(hexToBytes(raw), false).code)
  }
  expect(codes).toEqual([0, 0, POOL_CODES.full])
})

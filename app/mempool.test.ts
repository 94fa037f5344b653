/** What CometBFT is told of the pool for gossip. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { blockOf, openLone } from '../test/hostile/lone-application.ts'
import { signTransaction, type TransactionFields } from '../test/sim/traffic.ts'
import { bytesToHex, type Hex, hexToBytes } from '../core/hex.ts'
import { POOL_CODES } from './errors.ts'
import { APPLICATION_DEFAULTS } from './settings.ts'

const SENT = 150
/** A page of CometBFT's unconfirmed_txs. */
const PAGE = 100

/** CometBFT's mempool, and what it is offered. */
const openGossip = async ({ maxGas = 1_000_000_000 } = {}) => {
  const offered: string[] = []
  const network = { peers: 0, catchingUp: false }
  const { application, accounts } = await openLone({
    genesis: {
      consensusParameters: {
        block: { maxBytes: 8_000_000, maxGas },
        evidence: { maxAgeNumBlocks: 1, maxAgeDurationNs: 1n, maxBytes: 1 },
        validator: { pubKeyTypes: ['ed25519'] },
        version: { app: 1 },
        abci: { voteExtensionsEnableHeight: 0 },
      },
    },
    settings: { pool: { ...APPLICATION_DEFAULTS.pool, accountSlots: SENT } },
    environment: {
      gossip: { offer: (raws) => offered.push(...raws.map(bytesToHex)) },
      consensusStatus: () => ({ ...network, highestHeight: 0 }),
    },
  })
  const [wallet, sponsor] = accounts as readonly [PrivateKeyAccount, PrivateKeyAccount]
  const sign = (nonce: number, fields: Partial<TransactionFields> = {}, kind: 'call' | 'creation' = 'call') =>
    signTransaction(wallet, 2, { nonce, ...(kind === 'call' && { to: wallet.address }), ...fields })
  const submit = (raw: Uint8Array) => application.ask('sendRawTransaction', { raw: bytesToHex(raw) }, 0)
  const check = (raw: Uint8Array, recheck = false): number => application.checkTx(raw, recheck).code
  /** What CometBFT is offered it takes, and asks CheckTx of it. */
  const take = (): readonly string[] => {
    const taken = offered.splice(0)
    for (const hex of taken) expect(check(hexToBytes(hex as Hex))).toBe(0)
    return taken
  }
  const decide = async (height: number, raws: readonly Uint8Array[]): Promise<void> => {
    await application.finalizeBlock(blockOf(height, raws))
    await application.commit()
  }
  const decideEmpty = (height: number): Promise<void> => decide(height, [])
  return { application, network, wallet, sponsor, offered, sign, submit, check, take, decide, decideEmpty }
}

/** Jumps to its beginning until its gas is used up. */
const BURNS_ALL: Hex = '0x5b5f56'

it('gives CometBFT only what can execute, and the rest once it can', async () => {
  const { application, network, offered, sign, submit, check, take } = await openGossip()
  network.peers = 1
  const [first, second, third, fifth] = [await sign(0), await sign(1), await sign(2), await sign(4)]
  // A peer's come in another order, and a wallet sends ahead: none is lost.
  for (const raw of [third, fifth]) expect(check(raw)).toBe(POOL_CODES.waiting)
  await submit(second)
  expect(offered).toEqual([])
  expect(check(second)).toBe(POOL_CODES.waiting)
  expect(check(second, true)).toBe(POOL_CODES.waiting)
  expect(application.checkTx(third, false).log).toMatch(/^a transaction with a lower nonce is missing/)
  expect(await application.ask('txpoolStatus', {}, 0)).toBe('{"pending":"0x0","queued":"0x3"}')
  expect(check(first)).toBe(0)
  expect(take()).toEqual([second, third].map(bytesToHex))
  expect(await application.ask('txpoolStatus', {}, 0)).toBe('{"pending":"0x3","queued":"0x1"}')
  expect(check(fifth, true)).toBe(POOL_CODES.waiting)
})

it('takes back from CometBFT what has to wait again', async () => {
  const { network, sign, submit, check, take, decide } = await openGossip()
  network.peers = 1
  const all = 10n ** 24n
  const raws = [await sign(0), await sign(1, { value: all / 2n }), await sign(2, { value: all / 4n })]
  for (const raw of raws) await submit(raw)
  expect(take()).toHaveLength(3)
  // Another transaction with nonce 0 spends so much that the second cannot be paid for any more: it leaves.
  await decide(1, [await sign(0, { to: `0x${'77'.repeat(20)}`, value: (all * 6n) / 10n })])
  expect(raws.map((raw) => check(raw, true))).toEqual([POOL_CODES.gone, POOL_CODES.gone, POOL_CODES.waiting])
  const between = await sign(1)
  await submit(between)
  expect(take()).toEqual([between, raws[2] as Uint8Array].map(bytesToHex))
})

it('keeps from CometBFT what pays less than the base fee, and all behind it, until the base fee falls', async () => {
  const { network, sign, submit, check, take, decide, decideEmpty } = await openGossip({ maxGas: 17_000_000 })
  network.peers = 1
  const heavy = await sign(0, { data: BURNS_ALL, gas: 16_777_216n, maxFeePerGas: 5n * 10n ** 10n }, 'creation')
  const low = await sign(1, { maxFeePerGas: 2_000_000_000n })
  const behind = await sign(2, { maxFeePerGas: 10n ** 11n })
  for (const raw of [heavy, low, behind]) await submit(raw)
  expect(take()).toHaveLength(3)
  // The base fee rises from 1.9 gwei to 2.13.
  await decide(1, [heavy])
  expect([check(low, true), check(behind, true)]).toEqual([POOL_CODES.waiting, POOL_CODES.waiting])
  expect(take()).toEqual([])
  for (let height = 2; height <= 12; height++) await decideEmpty(height)
  expect(take()).toEqual([low, behind].map(bytesToHex))
})

it('a CometBFT that catches up is offered nothing, and all of it as soon as it takes it', async () => {
  const { application, network, offered, sign, submit, take } = await openGossip()
  network.peers = 1
  const [first, second] = [await sign(0), await sign(1)]
  // It was restarted, and this node does not know yet that it catches up: the offer is lost.
  await submit(first)
  expect(offered.splice(0)).toEqual([bytesToHex(first)])
  network.catchingUp = true
  application.refreshStatus()
  await submit(second)
  expect(offered).toEqual([])
  network.catchingUp = false
  application.refreshStatus()
  expect(take()).toEqual([first, second].map(bytesToHex))
})

it('a node without peers tells CometBFT of a page of transactions, and of all when the first peer comes', async () => {
  const { application, network, sign, submit, take } = await openGossip()
  const raws: Uint8Array[] = []
  const told: string[] = []
  for (let nonce = 0; nonce < SENT; nonce++) {
    const raw = await sign(nonce)
    raws.push(raw)
    await submit(raw)
    told.push(...take())
  }
  expect(told).toEqual(raws.slice(0, PAGE).map(bytesToHex))
  network.peers = 1
  application.refreshStatus()
  expect(take()).toEqual(raws.slice(PAGE).map(bytesToHex))
})

it('offers again what CometBFT asked of and then had no room for', async () => {
  const { network, sign, submit, check, take, decideEmpty } = await openGossip()
  network.peers = 1
  const [kept, dropped] = [await sign(0), await sign(1)]
  for (const raw of [kept, dropped]) await submit(raw)
  expect(take()).toHaveLength(2)
  const again: string[] = []
  for (let height = 1; height <= 20; height++) {
    await decideEmpty(height)
    again.push(...take())
    // After each block it asks of all that it has.
    expect(check(kept, true)).toBe(0)
    if (again.length > 0) expect(check(dropped, true)).toBe(0)
  }
  expect(again).toEqual([bytesToHex(dropped)])
})

it('offers again what it has to a CometBFT that was started anew, and not to who asks for its height', async () => {
  const { application, network, sign, submit, take } = await openGossip()
  network.peers = 1
  const raw = await sign(0)
  await submit(raw)
  expect(take()).toHaveLength(1)
  // Anyone may do so, as often as they like: /abci_info of CometBFT's RPC.
  application.info()
  application.refreshStatus()
  expect(take()).toEqual([])
  application.consensusConnected()
  application.refreshStatus()
  expect(take()).toEqual([bytesToHex(raw)])
})

it('offers what has to wait again and again once at once, then no more often than in ten blocks', async () => {
  const { network, wallet, sponsor, sign, submit, check, take, decide, decideEmpty } = await openGossip()
  network.peers = 1
  /** The wallet delegates its code, or no longer: with code it has one transaction at a time. */
  let toggles = 0
  const toggle = async (height: number): Promise<void> => {
    const isOn = toggles % 2 === 0
    const to: Hex = isOn ? sponsor.address : `0x${'00'.repeat(20)}`
    const authorizations = [{ account: wallet, to, nonce: toggles }]
    await decide(height, [await signTransaction(sponsor, 4, { nonce: toggles++, to, gas: 100_000n, authorizations })])
  }
  // Each authorization takes a nonce of the wallet: the last transaction lies beyond all of them.
  const raws: Uint8Array[] = []
  for (let nonce = 0; nonce < 60; nonce++) raws.push(await sign(nonce))
  for (const raw of raws) await submit(raw)
  expect(take()).toHaveLength(60)
  const last = raws.at(-1) as Uint8Array
  const offers: number[] = []
  for (let height = 1; height <= 40; height++) {
    await toggle(height)
    if (take().includes(bytesToHex(last))) offers.push(height)
    // After each block CometBFT asks again, and forgets what is refused.
    for (const raw of raws) check(raw, true)
  }
  expect(offers).toEqual([2, 12, 22, 32])
  // CometBFT has all that can execute in the end.
  for (let height = 41; height <= 60; height++) {
    await decideEmpty(height)
    take()
    for (const raw of raws) check(raw, true)
  }
  expect(check(last, true)).toBe(0)
})

it('offers again what CometBFT has lost, though it asks again of orders alone', async () => {
  const { network, sign, submit, check, take, decideEmpty } = await openGossip()
  network.peers = 1
  const lost = await sign(0)
  await submit(lost)
  expect(take()).toHaveLength(1)
  const offers: number[] = []
  for (let height = 1; height <= 25; height++) {
    await decideEmpty(height)
    // Its mempool was full of orders when it had asked of the transaction.
    expect(check(Uint8Array.of(0x70, 1), true)).not.toBe(0)
    if (take().includes(bytesToHex(lost))) offers.push(height)
  }
  expect(offers).toEqual([20])
})

it('takes the word of a CometBFT that does not ask again', async () => {
  const { network, sign, submit, take, decideEmpty } = await openGossip()
  network.peers = 1
  await submit(await sign(0))
  expect(take()).toHaveLength(1)
  for (let height = 1; height <= 20; height++) await decideEmpty(height)
  expect(take()).toEqual([])
})

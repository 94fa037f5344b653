/** Native transactions in one application: the pool, the block, the account that both families share. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { keccak256, sha256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { invariant } from '../../core/errors.ts'
import { readBaseFee } from '../../modules/feemarket/index.ts'
import type { SimNode } from './sim-node.ts'
import { type NativeFields, sendMessage, signNative } from './native-transactions.ts'
import { withTransactions } from './driver.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { checkInvariants, committedState, gossip, pendingNonce, withWorld, type World } from './world.ts'

const GAS = 200_000n
const to = new Uint8Array(20).fill(0x42)

interface Stage {
  readonly world: World
  readonly node: SimNode
  readonly sender: PrivateKeyAccount
  readonly other: PrivateKeyAccount
  /** A transfer of 1 anat by `sender`. */
  native(sequence: number, fields?: Partial<NativeFields>): Promise<Uint8Array>
  ethereum(nonce: number): Promise<Uint8Array>
  balance(address: Uint8Array): bigint
}

const stage = (salt: number, run: (stage: Stage) => Promise<void>) =>
  withWorld(salt, { extensionsFrom: 0 }, async (world) => {
    const [node] = world.nodes
    const [sender, other] = world.accounts
    invariant(node !== undefined && sender !== undefined && other !== undefined, 'a world has nodes and accounts')
    const { chainId } = world.driver.setup
    const messages = [sendMessage(sender, to, [{ denom: 'anat', amount: '1' }])]
    await run({
      world,
      node,
      sender,
      other,
      native: (sequence, fields = {}) =>
        signNative({ chainId, messages, signers: [{ account: sender, sequence }], gas: GAS, ...fields }),
      ethereum: (nonce) =>
        signTransaction(sender, 2, { nonce, to: bytesToHex(to), value: 1n, maxFeePerGas: 50n * GWEI }),
      balance: (address) => committedState(node).account(address)?.balance ?? 0n,
    })
    for (const each of world.nodes) checkInvariants(each)
  })

const check = (node: SimNode, raw: Uint8Array) => {
  const { code, codespace } = node.application.checkTx(raw, false)
  return [codespace, code]
}

describe('the pool', () => {
  it(
    'holds both families of an account under one nonce, and shows those of Ethereum alone',
    stage(401, async ({ world, node, sender, native, ethereum, balance }) => {
      const [first, third] = [await native(0), await native(2)]
      const second = await ethereum(1)
      for (const raw of [first, second, third]) expect(gossip(world.nodes, raw)).toBe(true)
      expect(await pendingNonce(node, sender)).toBe(3)
      expect(await node.ask('txpoolStatus', {})).toEqual({ pending: '0x1', queued: '0x0' })
      const content = { pending: { [sender.address]: { 1: { hash: bytesToHex(keccak256(second)) } } }, queued: {} }
      expect(await node.ask('txpoolContent', {})).toMatchObject(content)
      expect(await node.ask('transaction', { hash: bytesToHex(sha256(first)) })).toBeNull()
      const { block, response } = await world.driver.step()
      expect(block.transactions).toEqual([first, second, third])
      expect(response.transactionResults.map(({ code }) => code)).toEqual([0, 0, 0])
      expect(await pendingNonce(node, sender)).toBe(3)
      expect(balance(to)).toBe(3n)
      expect(await node.ask('txpoolStatus', {})).toEqual({ pending: '0x0', queued: '0x0' })
    }),
  )

  it(
    'takes a replacement that pays a tenth more, and keeps what it has otherwise',
    stage(402, async ({ world, node, native, ethereum }) => {
      const cheap = await native(0, { gasPrice: 10n * GWEI })
      expect(check(node, cheap)).toEqual(['', 0])
      expect(check(node, cheap)).toEqual(['', 0])
      expect(check(node, await native(0, { gasPrice: 10n * GWEI + 1n }))).toEqual(['sdk', 32])
      expect(check(node, await ethereum(0))).toEqual(['pool', 4])
      const dear = await native(0, { gasPrice: 11n * GWEI })
      expect(check(node, dear)).toEqual(['', 0])
      expect(node.application.checkTx(cheap, true).code).not.toBe(0)
      const { block } = await world.driver.step(node)
      expect(block.transactions).toEqual([dear])
    }),
  )

  it(
    'refuses a sequence behind and one ahead of what it holds',
    stage(403, async ({ world, node, native }) => {
      expect(check(node, await native(1))).toEqual(['sdk', 32])
      expect(check(node, await native(0))).toEqual(['', 0])
      expect(check(node, await native(1))).toEqual(['', 0])
      expect(check(node, await native(3))).toEqual(['sdk', 32])
      await world.driver.step(node)
      expect(check(node, await native(0))).toEqual(['sdk', 32])
    }),
  )

  it(
    'counts the fees that wait against the balance',
    stage(404, async ({ node, sender, native }) => {
      const { balance } = committedState(node).account(hexToBytes(sender.address)) ?? { balance: 0n }
      const gasPrice = (balance * 6n) / (10n * GAS)
      expect(check(node, await native(0, { gasPrice }))).toEqual(['', 0])
      expect(check(node, await native(1, { gasPrice }))).toEqual(['sdk', 5])
    }),
  )

  it(
    'survives a restart with its transactions',
    stage(405, async ({ world, node, native, balance }) => {
      await world.driver.step()
      expect(check(node, await native(0))).toEqual(['', 0])
      await node.restart()
      const { block } = await world.driver.step(node)
      expect(block.transactions.length).toBe(1)
      expect(balance(to)).toBe(1n)
    }),
  )
})

describe('a block', () => {
  it(
    'holds both families by what they pay',
    stage(406, async ({ world, node, sender, other, native }) => {
      const { chainId } = world.driver.setup
      const low = await native(0, { gasPrice: 5n * GWEI })
      const messages = [sendMessage(other, to, [{ denom: 'anat', amount: '1' }])]
      const high = await signNative({ chainId, messages, signers: [{ account: other, sequence: 0 }] })
      const third = world.accounts[2] as PrivateKeyAccount
      const middle = await signTransaction(third, 2, {
        nonce: 0,
        to: sender.address,
        maxFeePerGas: 90n * GWEI,
        tip: 8n * GWEI,
      })
      for (const raw of [low, high, middle]) expect(gossip(world.nodes, raw)).toBe(true)
      const { block } = await world.driver.step(node)
      expect(block.transactions).toEqual([high, middle, low])
    }),
  )

  it(
    'pays fees to the collector, and lets the gas of native transactions raise the base fee',
    stage(407, async ({ world, node, native, balance }) => {
      const before = balance(FEE_COLLECTOR_ADDRESS)
      const baseFee = readBaseFee(committedState(node))
      const raws = []
      // The sum is above half of the block's gas.
      for (let sequence = 0; sequence < 30; sequence++) raws.push(await native(sequence, { gasPrice: 10n * GWEI }))
      for (const raw of raws) expect(gossip(world.nodes, raw)).toBe(true)
      const { response } = await world.driver.step(node)
      const { transactionResults } = response
      const gasUsed = transactionResults.reduce((sum, result) => sum + result.gasUsed, 0n)
      expect(gasUsed).toBeGreaterThan(1_000_000n)
      expect(gasUsed).toBeLessThanOrEqual(3_000_000n)
      expect(balance(FEE_COLLECTOR_ADDRESS) - before).toBe(BigInt(transactionResults.length) * GAS * 10n * GWEI)
      const block = (await node.ask('block', { block: { tag: 'latest' }, full: false })) as Record<string, string>
      expect([block['gasUsed'], block['transactions']]).toEqual(['0x0', []])
      expect(readBaseFee(committedState(node))).toBeGreaterThan(baseFee)
    }),
  )

  it(
    'leaves out a transaction whose second signer has moved on, and holds it when it comes in time',
    stage(408, async ({ world, node, sender, other }) => {
      const { chainId } = world.driver.setup
      const both = (sequences: readonly [number, number]) =>
        signNative({
          chainId,
          messages: [sender, other].map((from) => sendMessage(from, to, [{ denom: 'anat', amount: '5' }])),
          signers: [
            { account: sender, sequence: sequences[0] },
            { account: other, sequence: sequences[1] },
          ],
        })
      expect(gossip(world.nodes, await both([0, 0]))).toBe(true)
      const { block } = await world.driver.step(node)
      expect(block.transactions.length).toBe(1)
      expect([await pendingNonce(node, sender), await pendingNonce(node, other)]).toEqual([1, 1])
      expect(gossip(world.nodes, await both([1, 1]))).toBe(true)
      const overtakes = await signTransaction(other, 2, {
        nonce: 1,
        to: sender.address,
        maxFeePerGas: 900n * GWEI,
        tip: 800n * GWEI,
      })
      expect(gossip(world.nodes, overtakes)).toBe(true)
      expect((await world.driver.step(node)).block.transactions).toEqual([overtakes])
      expect((await world.driver.step(node)).block.transactions).toEqual([])
      expect(await pendingNonce(node, sender)).toBe(1)
    }),
  )

  it(
    'keeps an account that pays with all that it has',
    stage(409, async ({ world, node, sender }) => {
      const { chainId } = world.driver.setup
      const poor = world.traffic.accounts.at(-1) as PrivateKeyAccount
      const address = hexToBytes(poor.address)
      const all = committedState(node).account(address)?.balance ?? 0n
      const messages = [sendMessage(poor, hexToBytes(sender.address), [{ denom: 'anat', amount: '1' }])]
      const gasPrice = all / GAS
      const raw = await signNative({ chainId, messages, signers: [{ account: poor, sequence: 0 }], gas: GAS, gasPrice })
      expect(gossip(world.nodes, raw)).toBe(true)
      const { response } = await world.driver.step(node)
      expect(response.transactionResults).toMatchObject([{ code: 5, codespace: 'sdk', data: new Uint8Array(0) }])
      expect(committedState(node).account(address)).toMatchObject({ nonce: 1n, balance: all - gasPrice * GAS })
    }),
  )
})

describe('bytes of a native transaction that were changed', () => {
  it(
    'have a code in CheckTx and in a block, and change nothing',
    stage(410, async ({ world, node, native }) => {
      const { random } = world.driver
      const whole = await native(0)
      const changed: Uint8Array[] = []
      for (let i = 0; i < 400; i++) {
        const raw = random.chance(20) ? whole.slice(0, random.below(whole.length)) : whole.slice()
        for (let times = 0; times <= random.below(3); times++) {
          if (raw.length > 1) raw[1 + random.below(raw.length - 1)] = random.below(256)
        }
        if (sha256(raw).join() !== sha256(whole).join()) changed.push(raw)
      }
      const codes = changed.map((raw) => check(node, raw))
      expect(codes.filter(([, code]) => code === 0)).toEqual([])
      expect(new Set(codes.map(([, code]) => code)).size).toBeGreaterThan(3)
      const block = await world.driver.propose(node)
      const spoilt = withTransactions(block, [...block.transactions, ...changed, whole])
      expect(await world.driver.process(spoilt)).toBe(false)
      const { response } = await world.driver.decide(spoilt)
      const results = response.transactionResults
      expect(results.at(-1)).toMatchObject({ code: 0 })
      expect(results.slice(0, -1).filter(({ code, gasUsed }) => code === 0 || gasUsed > 0n)).toEqual([])
    }),
  )
})

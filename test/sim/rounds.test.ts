import { describe, expect, it } from 'vitest'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { CodedError } from '../../core/errors.ts'
import { APP_CODES } from '../../app/errors.ts'
import { withHash, withTransactions } from './driver.ts'
import { deploy, PROBE_SLOTS, PROGRAMS, words } from './programs.ts'
import type { SimNode } from './sim-node.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { checkBlock, checkInvariants, gossip, pendingNonce, shownBlock, type World, withWorld } from './world.ts'
import { getContractAddress } from 'viem'

const codeOf = async (call: () => unknown): Promise<readonly [string, number]> => {
  try {
    await call()
  } catch (error) {
    if (error instanceof CodedError) return [error.codespace, error.code]
    throw error
  }
  return ['', 0]
}

const OUT_OF_ORDER = ['app', APP_CODES.outOfOrder] as const

const first = <Item>(items: readonly Item[]): Item => items[0] as Item
const addressOf = (world: World, index: number): Hex => (world.accounts[index] as { address: Hex }).address
const accountAt = (world: World, index: number) => world.accounts[index] as World['accounts'][number]

describe('rounds of one height', () => {
  it(
    'leave nothing behind: the last of a hundred proposals is decided, and an early one after it left memory',
    withWorld(20, { powers: [1n, 1n, 1n] }, async ({ driver, nodes, traffic }) => {
      await driver.step()
      const proposals = []
      for (let round = 0; round < 100; round++) {
        if (round % 10 === 0) gossip(nodes, await traffic.next())
        const block = await driver.propose(nodes[round % 2] as SimNode, round)
        expect(await driver.process(block)).toBe(true)
        proposals.push(block)
      }
      expect(new Set(proposals.map(({ hash }) => bytesToHex(hash))).size).toBeGreaterThan(90)
      const { response } = await driver.decide(proposals.at(-1) ?? first(proposals), 99)
      await checkBlock(first(nodes), proposals.at(-1) ?? first(proposals), response.appHash)
      const node = first(nodes)
      const early = await driver.propose(node, 0)
      const executed = node.executions
      expect(await driver.process(early)).toBe(true)
      expect(node.executions, 'a proposer has executed its own block').toBe(executed)
      for (let round = 1; round < 30; round++) await driver.process(await driver.propose(node, round))
      const crowded = node.executions
      expect(await node.application.processProposal(early)).toBe(true)
      expect(node.executions, 'of thirty proposals the first is not kept').toBeGreaterThan(crowded)
      await driver.decide(early, 0)
      await driver.step()
    }),
  )

  it(
    'give the same answer each time that a block is finalized, and another block may be decided after it',
    withWorld(21, {}, async ({ driver, nodes, traffic }) => {
      for (let i = 0; i < 5; i++) gossip(nodes, await traffic.next())
      const [one, other] = [await driver.propose(first(nodes), 0), await driver.propose(first(nodes), 1)]
      for (const { application } of nodes) {
        const responses = [await application.finalizeBlock(one), await application.finalizeBlock(one)]
        expect(responses[1]).toEqual(responses[0])
        await application.finalizeBlock(other)
      }
      const { response } = await driver.decide(one)
      await checkBlock(first(nodes), one, response.appHash)
      expect(bytesToHex(one.hash)).not.toBe(bytesToHex(other.hash))
    }),
  )

  it(
    'refuse calls out of order with a code and go on',
    withWorld(22, {}, async ({ driver, nodes }) => {
      const { application } = first(nodes)
      expect(await codeOf(() => application.commit())).toEqual(OUT_OF_ORDER)
      const { block } = await driver.step()
      expect(await codeOf(() => application.commit())).toEqual(OUT_OF_ORDER)
      expect(await codeOf(() => application.finalizeBlock(block))).toEqual(OUT_OF_ORDER)
      const next = await driver.propose(first(nodes))
      const { hash: _, ...content } = next
      const ahead = withHash({ ...content, height: next.height + 1 })
      expect(await codeOf(() => application.finalizeBlock(ahead))).toEqual(OUT_OF_ORDER)
      expect(await application.processProposal(ahead)).toBe(false)
      expect(await application.processProposal(block)).toBe(false)
      const again = () => driver.reinitialize(first(nodes))
      expect(await codeOf(again)).toEqual(OUT_OF_ORDER)
      await driver.decide(next)
      await driver.step()
    }),
  )

  it(
    'an InitChain that is repeated forgets what was executed on the genesis before it',
    withWorld(23, {}, async ({ driver, nodes, accounts }) => {
      const [a, b] = nodes as readonly [SimNode, SimNode]
      const block = await driver.propose(a)
      expect(await driver.process(block)).toBe(true)
      await a.application.finalizeBlock(block)
      // Another genesis in the same home, as an operator may do before the first block.
      const richer = structuredClone(driver.setup.appState) as { bank: { balances: { coins: { amount: string }[] }[] } }
      const coin = richer.bank.balances[0]?.coins[0]
      if (coin !== undefined) coin.amount = '5'
      for (const node of nodes) await driver.reinitialize(node, richer)
      await b.restart()
      const { appHash } = await b.application.finalizeBlock(block)
      expect(bytesToHex((await a.application.finalizeBlock(block)).appHash)).toBe(bytesToHex(appHash))
      expect(await a.ask('balance', { address: first(accounts).address, block: { tag: 'latest' } })).toBe('0x5')
    }),
  )
})

describe('transactions that other transactions of their block make invalid', () => {
  it(
    'are left out by the proposer, and get a code where they were decided all the same',
    withWorld(24, {}, async (world) => {
      const { driver, nodes } = world
      const [a] = nodes as readonly [SimNode, SimNode]
      const [sender, victim] = [accountAt(world, 0), accountAt(world, 1)]
      const to = addressOf(world, 2)
      const own = await signTransaction(victim, 2, { nonce: 0, to, value: 1n, maxFeePerGas: 20n * GWEI, tip: GWEI })
      // The authorization takes nonce 0 of the victim, and stands first for its higher tip.
      const bump = await signTransaction(sender, 4, {
        nonce: 0,
        to,
        gas: 100_000n,
        maxFeePerGas: 50n * GWEI,
        tip: 20n * GWEI,
        authorizations: [{ account: victim, to, nonce: 0 }],
      })
      for (const raw of [own, bump]) expect(gossip(nodes, raw)).toBe(true)
      const block = await driver.propose(a)
      expect(block.transactions).toEqual([bump])
      // Not decided yet: in a block without the other one it is valid.
      expect(await a.ask('txpoolStatus', {})).toEqual({ pending: '0x2', queued: '0x0' })
      const faulty = withTransactions(block, [bump, own])
      expect(await driver.process(faulty)).toBe(false)
      expect(await driver.process(block)).toBe(true)
      const { response } = await driver.decide(faulty)
      expect(response.transactionResults.map(({ code }) => code === 0)).toEqual([true, false])
      expect(response.transactionResults[1]?.log).toContain('nonce too low')
      await checkBlock(a, faulty, response.appHash)
      checkInvariants(a)
      expect(await pendingNonce(a, victim)).toBe(1)
      expect(await a.ask('txpoolStatus', {})).toEqual({ pending: '0x0', queued: '0x0' })
      await driver.step()
    }),
  )

  it(
    'a delegated account that pays others can lose the funds of its own transaction',
    withWorld(25, {}, async (world) => {
      const { driver, nodes } = world
      const [a] = nodes as readonly [SimNode, SimNode]
      const [sender, victim] = [accountAt(world, 0), accountAt(world, 1)]
      const spender = getContractAddress({ from: sender.address, nonce: 0n })
      const fees = { maxFeePerGas: 100n * GWEI, tip: 50n * GWEI }
      gossip(
        nodes,
        await signTransaction(sender, 2, { nonce: 0, data: deploy(PROGRAMS.spender), gas: 300_000n, ...fees }),
      )
      const authorizations = [{ account: victim, to: spender, nonce: 0 }]
      gossip(nodes, await signTransaction(sender, 4, { nonce: 1, to: spender, gas: 200_000n, authorizations, ...fees }))
      await driver.step()
      const balance = BigInt((await a.ask('balance', { address: victim.address, block: { tag: 'latest' } })) as Hex)
      // It spends nearly everything; half is gone when the other, better paid transaction ran first.
      const own = await signTransaction(victim, 2, {
        nonce: 1,
        to: sender.address,
        value: balance - 10n ** 18n,
        gas: 60_000n,
      })
      const drain = await signTransaction(sender, 2, { nonce: 2, to: victim.address, gas: 100_000n, ...fees })
      for (const raw of [own, drain]) expect(gossip(nodes, raw)).toBe(true)
      const block = await driver.propose(a)
      expect(block.transactions.slice(1)).toEqual([drain])
      const { response } = await driver.decide(withTransactions(block, [...block.transactions, own]))
      expect(response.transactionResults.at(-1)?.log).toContain('insufficient funds')
      // Now it is its own state that has too little: the next proposer drops it.
      await driver.step(a)
      expect(await a.ask('txpoolStatus', {})).toEqual({ pending: '0x0', queued: '0x0' })
      checkInvariants(a)
    }),
  )
})

describe('what code sees of a block', () => {
  it(
    'are the hash of its parent by both ways, the beacon of its time, the collector and the base fee',
    withWorld(26, {}, async (world) => {
      const { driver, nodes } = world
      const [a] = nodes as readonly [SimNode, SimNode]
      const sender = accountAt(world, 0)
      const to = getContractAddress({ from: sender.address, nonce: 0n })
      gossip(nodes, await signTransaction(sender, 2, { nonce: 0, data: deploy(PROGRAMS.probe), gas: 400_000n }))
      for (let i = 0; i < 3; i++) await driver.step()
      gossip(nodes, await signTransaction(sender, 0, { nonce: 1, to, gas: 400_000n }))
      const { block } = await driver.step()
      const read = async (slot: number): Promise<Hex> =>
        (await a.ask('storage', { address: to, slot: words(BigInt(slot)), block: { tag: 'latest' } })) as Hex
      const shown = await shownBlock(a)
      const word = (value: Hex | undefined): Hex => words(value ?? '0x')
      expect(await read(PROBE_SLOTS.parentHash)).toBe(shown['parentHash'])
      expect(await read(PROBE_SLOTS.parentHashByContract)).toBe(shown['parentHash'])
      expect(await read(PROBE_SLOTS.prevRandao)).toBe(shown['mixHash'])
      expect(await read(PROBE_SLOTS.timestamp)).toBe(word(shown['timestamp']))
      expect(await read(PROBE_SLOTS.coinbase)).toBe(word(shown['miner']))
      expect(await read(PROBE_SLOTS.baseFee)).toBe(word(shown['baseFeePerGas']))
      expect(await read(PROBE_SLOTS.ownHash)).toBe(words(0n))
      expect(await read(PROBE_SLOTS.oldHash)).toBe(words(0n))
      expect(BigInt(shown['timestamp'] ?? '0x0')).toBe(block.timeNs / 1_000_000_000n)
    }),
  )
})

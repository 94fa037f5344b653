/** Blocks whose execution is unusual: delegations to odd places, candidates that run at the same time. */
import { expect, it } from 'vitest'
import { FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { sha256 } from '../../core/hash.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { BEACON_ROOTS, HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import { CONSTRUCTORS, deploy, PROGRAMS } from '../sim/programs.ts'
import type { SimNode } from '../sim/sim-node.ts'
import { signTransaction } from '../sim/traffic.ts'
import { checkInvariants, committedState, gossip, withWorld, type World } from '../sim/world.ts'
import { blockOf, openLone } from './lone-application.ts'

const PLACES: readonly (readonly [name: string, address: (own: Hex) => Hex])[] = [
  ['itself', (own) => own],
  ['a precompile', () => '0x0000000000000000000000000000000000000004'],
  ['the contract of block hashes', () => bytesToHex(HISTORY_STORAGE.address)],
  ['the contract of beacon roots', () => bytesToHex(BEACON_ROOTS.address)],
  ['the fee collector', () => bytesToHex(FEE_COLLECTOR_ADDRESS)],
  ['the account of the bank', () => bytesToHex(moduleAddress('bank'))],
  ['nothing', () => '0x0000000000000000000000000000000000000000'],
]

it.each(PLACES)('a sender that delegates to %s, in one transaction with others, can be called and can send', (_, to) =>
  withWorld(720, {}, async ({ driver, nodes, accounts }) => {
    const [one, two] = accounts as readonly [World['accounts'][number], World['accounts'][number]]
    const authorizations = [
      { account: one, to: to(one.address), nonce: 1 },
      { account: two, to: to(two.address), nonce: 0 },
      { account: two, to: one.address, nonce: 0 },
    ]
    gossip(
      nodes,
      await signTransaction(one, 4, { nonce: 0, to: two.address, value: 5n, gas: 300_000n, authorizations }),
    )
    const { response } = await driver.step()
    expect(response.transactionResults.map(({ code }) => code)).toEqual(
      [0, 0].slice(-response.transactionResults.length),
    )
    // A delegated account has one transaction in flight.
    for (const [nonce, target] of [one.address, two.address, bytesToHex(FEE_COLLECTOR_ADDRESS)].entries()) {
      gossip(
        nodes,
        await signTransaction(one, 2, { nonce: nonce + 2, to: target, value: 7n, gas: 200_000n, data: '0x00' }),
      )
      const { block } = await driver.step()
      expect(block.transactions.length).toBeGreaterThanOrEqual(1)
    }
    const { nonce } = committedState(nodes[0] as SimNode).account(hexToBytes(one.address)) ?? { nonce: 0n }
    expect(nonce).toBeGreaterThanOrEqual(5n)
    for (const node of nodes) checkInvariants(node)
  })(),
)

it(
  'money sent to every module account and system contract stays theirs, with their storage',
  withWorld(721, {}, async ({ driver, nodes, accounts }) => {
    const [sender] = accounts as readonly [World['accounts'][number]]
    const targets = [
      ...['bank', 'feemarket', 'consensus'].map((name) => bytesToHex(moduleAddress(name))),
      bytesToHex(FEE_COLLECTOR_ADDRESS),
      bytesToHex(HISTORY_STORAGE.address),
      `0x${'ff'.repeat(19)}fe` as const,
    ]
    let nonce = 0
    for (const value of [0n, 3n, 0n]) {
      for (const to of targets) {
        gossip(nodes, await signTransaction(sender, 2, { nonce: nonce++, to, value, gas: 100_000n }))
      }
    }
    gossip(
      nodes,
      await signTransaction(sender, 2, { nonce: nonce++, value: 9n, data: CONSTRUCTORS.burnsItself, gas: 200_000n }),
    )
    await driver.step()
    await driver.step()
    const [node] = nodes as readonly [SimNode]
    for (const to of targets.slice(0, 3)) {
      expect(await node.ask('balance', { address: to, block: { tag: 'latest' } })).toBe('0x3')
      expect(await node.ask('transactionCount', { address: to, block: { tag: 'latest' } })).toBe('0x1')
    }
    checkInvariants(node)
  }),
)

it('two proposals that are executed at the same time are executed as one after the other', async () => {
  let ticks = 0
  const open = () =>
    openLone({
      environment: {
        clock: { nowMs: () => (ticks += 1_000), wallMs: () => 0 },
        yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
      },
    })
  const [together, apart] = [await open(), await open()]
  const proposals = await Promise.all(
    [0, 1, 2].map(async (variant) => {
      const raws: Uint8Array[] = []
      for (const account of together.accounts) {
        const create = { nonce: 0, data: deploy(PROGRAMS.probe), value: 0n, gas: 400_000n }
        raws.push(
          await signTransaction(account, 2, variant === 0 ? create : { ...create, data: deploy(PROGRAMS.writer) }),
        )
        raws.push(await signTransaction(account, 2, { nonce: 1, to: account.address, value: BigInt(variant) }))
      }
      return {
        ...blockOf(1, raws),
        timeNs: blockOf(1, []).timeNs + BigInt(variant),
        hash: sha256(utf8ToBytes(`${variant}`)),
      }
    }),
  )
  expect(await Promise.all(proposals.map((block) => together.application.processProposal(block)))).toEqual([
    true,
    true,
    true,
  ])
  for (const block of proposals) {
    const { appHash } = await together.application.finalizeBlock(block)
    expect(bytesToHex(appHash)).toBe(bytesToHex((await apart.application.finalizeBlock(block)).appHash))
  }
  await together.application.commit()
  await apart.application.commit()
  const next = blockOf(2, [])
  const { appHash } = await together.application.finalizeBlock(next)
  expect(bytesToHex(appHash)).toBe(bytesToHex((await apart.application.finalizeBlock(next)).appHash))
})

/** What one faulty proposer can send: every node must refuse it soon, and none may end. */
import { expect, it } from 'vitest'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { encodeRlp } from '../../core/rlp.ts'
import { withTransactions } from '../sim/driver.ts'
import type { SimNode } from '../sim/sim-node.ts'
import { signTransaction } from '../sim/traffic.ts'
import { withWorld } from '../sim/world.ts'
import { blockOf, openLone } from './lone-application.ts'

it(
  'a block of more transactions than a call has arguments is rejected unexecuted, and decided all the same it is a block',
  withWorld(700, {}, async ({ driver, nodes }) => {
    await driver.step()
    const honest = await driver.propose(nodes[0] as SimNode)
    const many = Array.from({ length: 140_000 }, () => EMPTY_BYTES)
    const faulty = withTransactions(honest, [...honest.transactions, ...many])
    const before = nodes[0]?.executions
    expect(await driver.process(faulty)).toBe(false)
    expect(nodes[0]?.executions).toBe(before)
    const { response } = await driver.decide(faulty)
    expect(response.transactionResults.filter(({ code }) => code !== 0)).toHaveLength(many.length)
    await driver.step()
  }),
)

it(
  'is rejected at its first invalid transaction: the ones after it are not executed',
  withWorld(701, {}, async ({ driver, nodes, accounts }) => {
    await driver.step()
    const honest = await driver.propose(nodes[0] as SimNode)
    const valid: Uint8Array[] = []
    for (const account of accounts) valid.push(await signTransaction(account, 2, { nonce: 0, to: account.address }))
    const before = nodes[0]?.executions ?? 0
    expect(await driver.process(withTransactions(honest, [...honest.transactions, EMPTY_BYTES, ...valid]))).toBe(false)
    // The two system calls that begin a block.
    expect(nodes[0]?.executions).toBe(before + 2)
  }),
)

it(
  'a number of a million digits is not printed in a refusal',
  withWorld(702, {}, async ({ driver, nodes }) => {
    await driver.step()
    const honest = await driver.propose(nodes[0] as SimNode)
    const huge = new Uint8Array(2_000_000).fill(0xff)
    const one = Uint8Array.of(1)
    const to = new Uint8Array(20)
    const legacy = encodeRlp([
      EMPTY_BYTES,
      one,
      Uint8Array.of(0x52, 0x08),
      to,
      EMPTY_BYTES,
      EMPTY_BYTES,
      huge,
      one,
      one,
    ])
    const dynamic = encodeRlp([huge, EMPTY_BYTES, one, one, one, to, EMPTY_BYTES, EMPTY_BYTES, [], one, one, one])
    const typed = Uint8Array.from([2, ...dynamic])
    const faulty = withTransactions(honest, [...honest.transactions, legacy, typed])
    expect(await driver.process(faulty)).toBe(false)
    const { response } = await driver.decide(faulty)
    const logs = response.transactionResults.slice(-2).map(({ log }) => log)
    for (const log of logs) expect(log.length).toBeLessThan(300)
  }),
)

it('that the engine fails to execute is rejected, and the node goes on', async () => {
  const { application, accounts, complaints } = await openLone({
    engine: (real) => ({
      execute: (state, block, message, options) => {
        if (message.value !== 666n) return real.execute(state, block, message, options)
        state.setAccount(message.sender, undefined)
        throw new TypeError('a fault of the engine')
      },
      systemCall: (...call) => real.systemCall(...call),
      callContract: (...call) => real.callContract(...call),
    }),
  })
  const [account] = accounts as readonly [(typeof accounts)[number]]
  const [bad, good] = [
    await signTransaction(account, 2, { nonce: 0, to: account.address, value: 666n }),
    await signTransaction(account, 2, { nonce: 0, to: account.address, value: 1n }),
  ]
  expect(await application.processProposal(blockOf(1, [bad]))).toBe(false)
  expect(complaints.join()).toContain('a fault of the engine')
  expect(await application.processProposal(blockOf(1, [good]))).toBe(true)
})

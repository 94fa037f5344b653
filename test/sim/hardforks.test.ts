import { describe, expect, it } from 'vitest'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { keccak256 } from '../../core/hash.ts'
import { withTransactions } from './driver.ts'
import { assemble } from './programs.ts'
import { concatBytes } from '../../core/bytes.ts'
import type { SimNode } from './sim-node.ts'
import { signTransaction } from './traffic.ts'
import { checkInvariants, gossip, shownBlock, type World, withWorld } from './world.ts'

const BEGIN_SECONDS = 1_750_000_000
/** Seconds after the genesis. */
const PRAGUE = 10
const OSAKA = 20
/** The gas is above EIP-7825's cap of 2^24. */
const LARGE_GAS = 20_000_000n

const options = {
  maxGas: 60_000_000,
  genesisTimeNs: BigInt(BEGIN_SECONDS) * 1_000_000_000n,
  hardforks: { cancun: 0, prague: BEGIN_SECONDS + PRAGUE, osaka: BEGIN_SECONDS + OSAKA },
}

/** Init code that runs CLZ (EIP-7939), an invalid instruction before Osaka. */
const COUNT_ZEROS: Hex = bytesToHex(concatBytes(assemble(1), Uint8Array.of(0x1e), assemble('STOP')))

describe('hard forks by timestamp', () => {
  it(
    'begin with the first block of their second: types, caps and instructions',
    withWorld(50, options, async (world) => {
      const { driver, nodes } = world
      const first = nodes[0] as SimNode
      const [delegating, large, coding, delegate] = world.accounts as readonly [
        World['accounts'][number],
        World['accounts'][number],
        World['accounts'][number],
        World['accounts'][number],
      ]
      const nonces = { delegating: 0, large: 0, coding: 0, delegate: 0 }
      const statuses = new Map<number, readonly boolean[]>()
      await driver.step()
      for (let second = 1; second <= 25; second++) {
        const delegation = await signTransaction(delegating, 4, {
          nonce: nonces.delegating,
          to: delegate.address,
          gas: 100_000n,
          authorizations: [{ account: delegate, to: delegating.address, nonce: nonces.delegate }],
        })
        const heavy = await signTransaction(large, 2, { nonce: nonces.large, to: large.address, gas: LARGE_GAS })
        const code = await signTransaction(coding, 2, { nonce: nonces.coding, data: COUNT_ZEROS, gas: 100_000n })
        const proposal = await driver.propose(first, 0, 1_000)
        // Offered by a proposer that does not look: what of it a block may hold is a rule of validity.
        const forced = withTransactions(proposal, [...proposal.transactions.slice(0, 1), delegation, heavy, code])
        expect(await driver.process(forced)).toBe(second >= PRAGUE && second < OSAKA)
        const { response } = await driver.decide(forced)
        const [, delegated, ran] = response.transactionResults.map((result) => result.code === 0)
        expect(await shownBlock(first)).toMatchObject({ timestamp: `0x${(BEGIN_SECONDS + second).toString(16)}` })
        const receipt = (await first.ask('receipt', { hash: bytesToHex(keccak256(code)) })) as { status: Hex }
        statuses.set(second, [delegated === true, ran === true, receipt.status === '0x1'])
        nonces.delegating += delegated === true ? 1 : 0
        nonces.delegate += delegated === true ? 1 : 0
        nonces.large += ran === true ? 1 : 0
        nonces.coding += 1
        checkInvariants(first)
      }
      for (const [second, seen] of statuses) {
        expect(seen, `second ${second}`).toEqual([second >= PRAGUE, second < OSAKA, second >= OSAKA])
      }
    }),
  )

  it(
    'are rules of the pool too, and what they make invalid leaves it',
    withWorld(51, options, async (world) => {
      const { driver, nodes } = world
      const first = nodes[0] as SimNode
      const [sender, other] = world.accounts as readonly World['accounts'][number][] as [
        World['accounts'][number],
        World['accounts'][number],
      ]
      const authorizations = [{ account: other, to: sender.address, nonce: 0 }]
      const fields = { to: other.address, gas: 100_000n, authorizations }
      const refusal = first.application.checkTx(await signTransaction(sender, 4, { nonce: 0, ...fields }), false)
      expect(refusal).toMatchObject({ codespace: 'evm', log: 'transaction type not supported' })
      await driver.step()
      await driver.step(first, PRAGUE * 1_000)
      expect(gossip(nodes, await signTransaction(sender, 4, { nonce: 0, ...fields }))).toBe(true)
      await driver.step(first, 5_000)
      // Admitted while it was valid; the next block is of the next fork.
      const heavy = await signTransaction(sender, 0, { nonce: 1, to: other.address, gas: LARGE_GAS })
      expect(gossip(nodes, heavy)).toBe(true)
      const { block } = await driver.step(first, OSAKA * 1_000)
      expect(block.transactions.length).toBe(1)
      expect(await first.ask('txpoolStatus', {})).toEqual({ pending: '0x0', queued: '0x0' })
      expect(first.application.checkTx(heavy, false).log).toMatch(/^transaction gas limit too high/)
    }),
  )
})

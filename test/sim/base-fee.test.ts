import { describe, expect, it } from 'vitest'
import { getContractAddress } from 'viem'
import { deploy, PROGRAMS } from './programs.ts'
import type { SimNode } from './sim-node.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { gossip, pendingNonce, shownBlock, type World, withWorld } from './world.ts'

const BLOCK_GAS = 400_000n
const FLOOR = 1_900_000_000n

/** EIP-1559 as its text has it, with this chain's floor. */
const successor = (parent: {
  readonly baseFee: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
}): bigint => {
  const target = parent.gasLimit / 2n
  const distance = parent.gasUsed > target ? parent.gasUsed - target : target - parent.gasUsed
  const change = (parent.baseFee * distance) / target / 8n
  if (parent.gasUsed === target) return parent.baseFee
  if (parent.gasUsed > target) return parent.baseFee + (change === 0n ? 1n : change)
  return parent.baseFee - change > FLOOR ? parent.baseFee - change : FLOOR
}

describe('the base fee', () => {
  it(
    'follows the gas of the block before, up and down, and never below its floor',
    withWorld(40, { maxGas: Number(BLOCK_GAS) }, async ({ driver, nodes, accounts }) => {
      const first = nodes[0] as SimNode
      const sender = accounts[0] as World['accounts'][number]
      const to = getContractAddress({ from: sender.address, nonce: 0n })
      const fees = { maxFeePerGas: 3_000n * GWEI, tip: 2n * GWEI }
      gossip(
        nodes,
        await signTransaction(sender, 2, { nonce: 0, data: deploy(PROGRAMS.burner), gas: 200_000n, ...fees }),
      )
      await driver.step()
      const seen: bigint[] = []
      let exact = false
      for (let height = 2; height <= 60; height++) {
        // Full, empty and half blocks in runs; a burner uses all the gas that it gets.
        const share = height < 25 ? 100n : height < 40 ? 0n : BigInt(driver.random.below(101))
        const gas = height === 45 ? BLOCK_GAS / 2n : (BLOCK_GAS * share) / 100n
        const nonce = await pendingNonce(first, sender)
        if (gas > 30_000n) gossip(nodes, await signTransaction(sender, 2, { nonce, to, gas, ...fees }))
        await driver.step()
        const [parent, block] = [await shownBlock(first, { number: height - 1 }), await shownBlock(first)]
        const read = (member: string | undefined): bigint => BigInt(member ?? '0x0')
        const expected = successor({
          baseFee: read(parent['baseFeePerGas']),
          gasUsed: read(parent['gasUsed']),
          gasLimit: read(parent['gasLimit']),
        })
        expect(read(block['baseFeePerGas']), `height ${height}`).toBe(expected)
        expect(read(block['gasLimit'])).toBe(BLOCK_GAS)
        if (read(block['gasUsed']) === BLOCK_GAS / 2n) exact = true
        seen.push(expected)
      }
      expect(exact, 'a block with exactly its target').toBe(true)
      expect(seen.some((fee) => fee > 10n * FLOOR)).toBe(true)
      expect(seen.slice(5).some((fee, index) => fee < (seen[index + 4] ?? 0n))).toBe(true)
    }),
  )

  it(
    'is suggested with the same tip by a node that was restarted',
    withWorld(41, {}, async ({ driver, nodes, accounts }) => {
      const [first, second] = nodes as [SimNode, SimNode]
      const sender = accounts[0] as World['accounts'][number]
      const suggested = (node: SimNode): unknown => node.ask('maxPriorityFeePerGas', {})
      for (let nonce = 0; nonce < 6; nonce++) {
        const fees = { maxFeePerGas: 100n * GWEI, tip: 7n * GWEI, gas: 21_000n, to: sender.address }
        gossip(nodes, await signTransaction(sender, 2, { nonce, ...fees }))
        await driver.step()
      }
      const before = await suggested(first)
      expect(BigInt(before as string)).toBeGreaterThanOrEqual(6n * GWEI)
      await second.restart()
      expect(await suggested(second)).toBe(before)
    }),
  )
})

/** eth_simulateV1 as viem asks it. */
import { encodeDeployData, getContractAddress, parseAbi, parseEther, zeroAddress } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { invariant } from '../../core/errors.ts'
import { accountAt, createClient } from './clients.ts'
import { tokenAbi, tokenBytecode } from './contracts/token.ts'
import { useNode } from './harness.ts'

const node = useNode()
const [owner, other] = [accountAt(0), accountAt(1)]
const FRESH = '0x00000000000000000000000000000000000f4e54'
const FACTORY = '0x00000000000000000000000000000000000fac70'
const CREATES_WHAT_IT_IS_GIVEN = '0x365f5f37365f5ff000'
const BECH32 = '0x0000000000000000000000000000000000000400'

let client: ReturnType<typeof createClient>

beforeAll(() => {
  client = createClient(node())
})

describe('simulateBlocks', () => {
  it('runs blocks of calls, each on the state that the one before left', async () => {
    const before = await client.getBalance({ address: FRESH })
    const head = await client.getBlock()
    const [first, second] = await client.simulateBlocks({
      blockNumber: head.number,
      blocks: [
        {
          blockOverrides: { number: head.number + 1n, baseFeePerGas: 0n },
          stateOverrides: [{ address: other.address, balance: parseEther('5') }],
          calls: [{ account: other.address, to: FRESH, value: parseEther('2') }],
        },
        { calls: [{ account: FRESH, to: owner.address, value: parseEther('1') }] },
      ],
      traceTransfers: true,
      returnFullTransactions: true,
    })
    invariant(first !== undefined && second !== undefined, 'two blocks are simulated')
    expect(first.number).toBe(head.number + 1n)
    expect(first.parentHash).toBe(head.hash)
    expect(second.parentHash).toBe(first.hash)
    expect(first.calls[0]).toMatchObject({ status: 'success', gasUsed: 21_000n })
    expect(first.calls[0].logs).toHaveLength(1)
    expect(first.transactions[0]).toMatchObject({ from: other.address.toLowerCase(), value: parseEther('2') })
    expect(second.calls[0].status).toBe('success')
    expect(second.stateRoot).not.toBe(first.stateRoot)
    expect(await client.getBalance({ address: FRESH })).toBe(before)
  })

  it('names what a call lacks when it validates', async () => {
    const blocks = [{ calls: [{ account: FRESH, to: owner.address, value: 1n, maxFeePerGas: parseEther('1') }] }]
    await expect(client.simulateBlocks({ blocks, validation: true })).rejects.toThrow('insufficient funds')
  })

  it('reaches the native precompiles, and writes nothing', async () => {
    const abi = parseAbi(['function hexToBech32(address addr, string prefix) returns (string bech32Address)'])
    const call = { to: BECH32, abi, functionName: 'hexToBech32', args: [zeroAddress, 'nat'] } as const
    const [block] = await client.simulateBlocks({ blocks: [{ calls: [call] }] })
    expect(block?.calls[0].status).toBe('success')
    expect(String(block?.calls[0].result)).toMatch(/^nat1q{32}/)
  })
})

describe('a simulation', () => {
  it('is refused when equal calls repeat more logs than a node can hold', async () => {
    const call = { to: FACTORY, nonce: '0x0', gas: '0x6ddd0' }
    // Each of 8 KiB.
    const logs = `0x${'6120005fa0'.repeat(6)}`
    const block = { stateOverrides: { [FACTORY]: { code: logs } }, calls: Array.from({ length: 100 }, () => call) }
    const reply = await fetch(node().urls.http, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_simulateV1', params: [{ blockStateCalls: [block] }] }),
    })
    expect(await reply.json()).toMatchObject({ error: { code: -38026, message: 'too many logs' } })
  })
})

describe('simulateCalls', () => {
  it('shows results and logs of a token that is deployed, and used, in the simulation only', async () => {
    // Its call raises the nonce before it creates.
    const token = getContractAddress({ from: FACTORY, nonce: 1n })
    const supply = parseEther('1000')
    const { results } = await client.simulateCalls({
      account: FACTORY,
      calls: [
        { to: FACTORY, data: encodeDeployData({ abi: tokenAbi, bytecode: tokenBytecode, args: [supply] }) },
        { to: token, abi: tokenAbi, functionName: 'transfer', args: [other.address, 5n] },
        { to: token, abi: tokenAbi, functionName: 'balanceOf', args: [FACTORY] },
        { to: token, abi: tokenAbi, functionName: 'divide', args: [1n, 0n] },
      ],
      stateOverrides: [{ address: FACTORY, code: CREATES_WHAT_IT_IS_GIVEN }],
    })
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'failure'])
    expect(results[1].logs).toHaveLength(1)
    expect(results[2].result).toBe(supply - 5n)
    expect(String(results[3].error)).toContain('Division or modulo by zero')
    expect(await client.getCode({ address: token })).toBeUndefined()
  })

  it('shows what an account gains and loses', async () => {
    const { assetChanges } = await client.simulateCalls({
      account: owner.address,
      calls: [
        { to: other.address, value: parseEther('3') },
        { to: other.address, value: parseEther('1') },
      ],
      traceAssetChanges: true,
    })
    expect(assetChanges.map(({ value }) => value.diff)).toEqual([-parseEther('4')])
  })
})

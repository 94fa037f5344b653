/** A running chain is replayed, exported and goes on as a new one, with CometBFT's own files made anew. */
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountAt, createClient, createWallet } from './clients.ts'
import { tokenAbi, tokenBytecode } from './contracts/token.ts'
import { createNode, runChain, type TestNode } from './harness.ts'

const HISTORY_CONTRACT: Address = '0x0000F90827F1C53a10cb7A02335B175320002935'
const hexHeight = (height: number): Hex => `0x${height.toString(16)}`
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`
/** Returns BLOCKHASH of the number in its call data. */
const BLOCKHASH_CODE: Hex = '0x5f35405f5260205ff3'

let old: TestNode
let fresh: TestNode
let file: string
let token: Address
/** Where the old chain ended. */
let head = 0

interface Block {
  readonly hash: Hex
  readonly stateRoot: Hex
  readonly timestamp: Hex
  readonly baseFeePerGas: Hex
}

/** What must be the same in both chains. */
const observe = async (node: TestNode, height: number) => {
  const client = createClient(node)
  const at = { blockNumber: BigInt(height) }
  const addresses = [0, 1, 2].map((index) => accountAt(index).address)
  const { stateRoot, timestamp } = await node.ask<Block>('eth_getBlockByNumber', hexHeight(height), false)
  return {
    stateRoot,
    timestamp,
    balances: await Promise.all(addresses.map((address) => client.getBalance({ address, ...at }))),
    nonces: await Promise.all(addresses.map((address) => client.getTransactionCount({ address, ...at }))),
    code: await client.getCode({ address: token, ...at }),
    supply: await client.getStorageAt({ address: token, slot: '0x0', ...at }),
    tokens: await client.readContract({
      address: token,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [accountAt(1).address],
      ...at,
    }),
    delegated: await client.getCode({ address: accountAt(2).address, ...at }),
  }
}

/** Asks by the contract of EIP-2935 and by the instruction, as the block after `height` asks. */
const oldHash = async (node: TestNode, number: number): Promise<readonly unknown[]> => {
  const call = (to: Address, override: object) => [{ to, data: word(number) }, 'latest', override] as const
  const code = '0x00000000000000000000000000000000000000bb'
  return [
    await node.ask('eth_call', ...call(HISTORY_CONTRACT, {})),
    await node.ask('eth_call', ...call(code, { [code]: { code: BLOCKHASH_CODE } })),
  ]
}

beforeAll(async () => {
  old = await createNode({ timeoutCommitMs: 100 })
  fresh = await createNode({ timeoutCommitMs: 100 })
  file = join(fresh.folder, 'exported.json')
  await old.start()
  const client = createClient(old)
  const wallet = createWallet(old, accountAt(0))
  const hash = await wallet.deployContract({ abi: tokenAbi, bytecode: tokenBytecode, args: [1_000_000n] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  token = contractAddress ?? '0x'
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [accountAt(1).address, 777n] })
  await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to: token, data }) })
  const third = createWallet(old, accountAt(2))
  const authorization = await third.signAuthorization({ contractAddress: token, executor: 'self' })
  const delegation = await third.sendTransaction({
    to: accountAt(2).address,
    authorizationList: [authorization],
    gas: 200_000n,
  })
  await client.waitForTransactionReceipt({ hash: delegation })
  const value = parseEther('2.5')
  const to = '0x00000000000000000000000000000000000e2e02'
  await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, value }) })
  await old.untilHeight(30)
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the nodes wrote last:\n${old.lastWords()}\n${fresh.lastWords()}`)
})
afterAll(async () => {
  await old?.remove()
  await fresh?.remove()
})

describe('a stopped node', () => {
  let seen: Awaited<ReturnType<typeof observe>>
  let hashes: readonly unknown[]
  let baseFee: Hex

  it('is neither exported nor replayed while it runs', async () => {
    for (const command of ['export', 'replay']) {
      const output = command === 'export' ? ['--output', file] : []
      const { status, stderr } = await runChain([command, '--home', old.home, ...output])
      expect([command, status]).toEqual([command, 1])
      expect(stderr).toMatch(/^Error: .*application\.db is open in another process/)
    }
    const stopping = await old.height()
    seen = await observe(old, stopping)
    hashes = await oldHash(old, stopping - 3)
    expect(hashes[1]).toBe(hashes[0])
    await old.untilHeight(stopping + 1)
    head = stopping
    baseFee = (await old.ask<Block>('eth_getBlockByNumber', hexHeight(head + 1), false)).baseFeePerGas
    expect(await old.stop('SIGTERM')).toBe(0)
  })

  it('gives all its blocks once more, and refuses blocks that it does not have', async () => {
    const all = await runChain(['replay', '--home', old.home])
    expect(all.stdout).toMatch(/^blocks 1 to \d+ are the same: roots, receipts, gas, blooms and app hashes/m)
    expect(all.status).toBe(0)
    const some = await runChain(['replay', '--home', old.home, '--from', '5', '--to', '9'])
    expect(some.stdout).toMatch(/^blocks 5 to 9 are the same/)
    for (const range of [
      ['--from', '0'],
      ['--to', '100000'],
      ['--from', '9', '--to', '8'],
    ]) {
      const { status, stderr } = await runChain(['replay', '--home', old.home, ...range])
      expect(status).toBe(2)
      expect(stderr).toMatch(/blocks 1 to \d+ can be replayed/)
    }
    const none = await runChain(['replay', '--home', join(old.folder, 'nowhere')])
    expect([none.status, none.stderr]).toEqual([
      1,
      expect.stringMatching(/holds no database: the node of this home has not run/),
    ])
  })

  it('is exported at a height, into a file that is there whole or not at all', async () => {
    const exported = await runChain(['export', '--home', old.home, '--height', String(head), '--output', file])
    expect(exported.stderr).toBe('')
    expect(exported.stdout).toContain(`state ${seen.stateRoot} of height ${head}`)
    const again = await runChain(['export', '--home', old.home, '--output', file])
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('exists: name another file')])
    const ahead = await runChain(['export', '--home', old.home, '--height', '99999', '--output', `${file}.x`])
    expect([ahead.status, ahead.stderr]).toEqual([2, expect.stringMatching(/this home holds the heights 0 to \d+/)])
    const valid = await runChain(['genesis', 'validate', file])
    expect(valid.stdout).toContain(`initial height ${head + 1}`)
  })

  it.each([0.2, 0.999])('has an export that is refused when %f of it is left', async (part) => {
    const short = `${file}.short`
    writeFileSync(short, readFileSync(file).subarray(0, Math.floor(statSync(file).size * part)))
    const { status, stderr } = await runChain(['genesis', 'validate', short])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/is no JSON, or cut short/)])
    const genesis = join(fresh.home, 'config', 'genesis.json')
    copyFileSync(short, genesis)
    fresh.spawn()
    expect(await fresh.stop('SIGCONT')).toBe(1)
    expect(fresh.output).toMatch(/genesis\.json is no JSON, or cut short/)
    rmSync(short)
  })

  it('goes on as a new chain with the same state, from the next height', async () => {
    for (const name of ['genesis.json', 'priv_validator_key.json']) {
      copyFileSync(name === 'genesis.json' ? file : join(old.home, 'config', name), join(fresh.home, 'config', name))
    }
    await fresh.start()
    await fresh.untilHeight(head + 3)
    expect(await observe(fresh, head)).toEqual(seen)
    const blocks = await Promise.all(
      [head, head + 1].map((height) => fresh.ask<Block>('eth_getBlockByNumber', hexHeight(height), false)),
    )
    expect(blocks[1]).toMatchObject({ parentHash: blocks[0]?.hash, baseFeePerGas: baseFee })
    expect(await fresh.ask('eth_getBlockByNumber', hexHeight(head - 1), false)).toBeNull()
    expect(await fresh.ask('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: hexHeight(head) })
    // The last block but three of the old chain, which the new one never had.
    expect(await oldHash(fresh, head - 3)).toEqual(hashes)
    const wallet = createWallet(fresh, accountAt(1))
    const client = createClient(fresh)
    const hash = await wallet.writeContract({
      address: token,
      abi: tokenAbi,
      functionName: 'transfer',
      args: [accountAt(0).address, 700n],
    })
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    const balanceOf = { address: token, abi: tokenAbi, functionName: 'balanceOf' } as const
    expect(await client.readContract({ ...balanceOf, args: [accountAt(1).address] })).toBe(77n)
  })

  it('answers native queries of the new chain, and replays and exports it too', async () => {
    const supply = await (await fetch(`${fresh.urls.rest}/cosmos/bank/v1beta1/supply/by_denom?denom=anat`)).json()
    expect(supply).toEqual({ amount: { denom: 'anat', amount: parseEther('10000010').toString() } })
    const { validators } = await fresh.comet<{ validators: readonly unknown[] }>('validators')
    expect(validators.length).toBe(1)
    expect(await fresh.stop('SIGTERM')).toBe(0)
    const replayed = await runChain(['replay', '--home', fresh.home])
    expect(replayed.stdout).toMatch(new RegExp(`^blocks ${head + 1} to \\d+ are the same`, 'm'))
    const next = await runChain([
      'export',
      '--home',
      fresh.home,
      '--output',
      `${file}.second`,
      '--chain-id',
      'nat-2517-1',
    ])
    expect(next.status).toBe(0)
    expect((await runChain(['genesis', 'validate', `${file}.second`])).stdout).toContain('valid genesis of nat-2517-1')
  })
})

import { verifyMerkleProof } from '@ethereumjs/mpt'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromRlp, type Hex, hexToBigInt, hexToBytes, keccak256, numberToHex, pad, toHex, trim } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { moduleAddress } from '../../core/address.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { tokenAbi, tokenBytecode } from './contracts/token.ts'
import { runChain, useNode } from './harness.ts'

interface Proof {
  readonly accountProof: readonly Hex[]
  readonly balance: Hex
  readonly codeHash: Hex
  readonly nonce: Hex
  readonly storageHash: Hex
  readonly storageProof: readonly { readonly key: Hex; readonly value: Hex; readonly proof: readonly Hex[] }[]
}

interface QueryResponse {
  readonly code: number
  readonly log: string
  readonly key: string | null
  readonly value: string | null
  readonly height: string
  readonly proofOps?: {
    readonly ops: readonly { readonly type: string; readonly key: string; readonly data: string }[]
  }
}

const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`
const ABSENT: Hex = '0x00000000000000000000000000000000deadbeef'
const SUPPLY_KEY = bytesToHex(Uint8Array.of(0x01, ...utf8ToBytes('anat')))
const BASE_FEE_KEY = bytesToHex(utf8ToBytes('base_fee'))

const node = useNode({ timeoutCommitMs: 100 })
const sender = accountAt(0).address
/** Heights after the transactions below. */
const heights: number[] = []
let token: Hex = ABSENT

const toBytes = (proof: readonly Hex[]): Uint8Array[] => proof.map((part) => hexToBytes(part))

const verify = async (root: Hex, key: Hex, proof: readonly Hex[]): Promise<Hex | undefined> => {
  if (proof.length === 0) return undefined
  const leaf = await verifyMerkleProof(keccak256(key, 'bytes'), toBytes(proof), { root: hexToBytes(root) })
  return leaf === null ? undefined : bytesToHex(leaf)
}

const integer = (value: Hex): bigint => (value === '0x' ? 0n : hexToBigInt(value))

/** Checks every part of the reply with a library, and the values against what the node says otherwise. */
const check = async (address: Hex, keys: readonly Hex[], block: string): Promise<Proof> => {
  const { stateRoot, number } = await node().ask<{ stateRoot: Hex; number: Hex }>('eth_getBlockByNumber', block, false)
  const proof = await node().ask<Proof>('eth_getProof', address, keys, number)
  const leaf = await verify(stateRoot, address, proof.accountProof)
  const claimed = [integer(proof.nonce), integer(proof.balance), proof.storageHash, proof.codeHash]
  if (leaf === undefined) expect(claimed).toEqual([0n, 0n, ZERO_HASH, ZERO_HASH])
  else {
    const [nonce, balance, storageRoot, codeHash] = fromRlp(leaf) as Hex[]
    expect(claimed).toEqual([integer(nonce ?? '0x'), integer(balance ?? '0x'), storageRoot, codeHash])
  }
  expect(hexToBigInt(proof.balance)).toBe(hexToBigInt(await node().ask<Hex>('eth_getBalance', address, number)))
  expect(proof.storageProof).toHaveLength(keys.length)
  for (const [index, { value, proof: nodes }] of proof.storageProof.entries()) {
    const slot = pad(keys[index] ?? '0x', { size: 32 })
    const held = await verify(proof.storageHash, slot, nodes)
    expect(integer(value)).toBe(held === undefined ? 0n : integer(fromRlp(held) as Hex))
    const asked = await node().ask<Hex>('eth_getStorageAt', address, slot, number)
    expect(integer(asked)).toBe(integer(value))
  }
  return proof
}

beforeAll(async () => {
  const client = createClient(node())
  const wallet = createWallet(node(), accountAt(0))
  const deployed = await wallet.deployContract({ abi: tokenAbi, bytecode: tokenBytecode, args: [10n ** 24n] })
  const receipt = await client.waitForTransactionReceipt({ hash: deployed })
  token = receipt.contractAddress ?? ABSENT
  heights.push(Number(receipt.blockNumber))
  for (let round = 1; round <= 5; round++) {
    const to = accountAt(round).address
    await wallet.sendTransaction({ to: keccak256(toHex(round)).slice(0, 42) as Hex, value: BigInt(round) })
    const args = [to, BigInt(round)] as const
    const hash = await wallet.writeContract({ address: token, abi: tokenAbi, functionName: 'transfer', args })
    heights.push(Number((await client.waitForTransactionReceipt({ hash })).blockNumber))
  }
})

it('eth_getProof is what a third party can verify, at old heights and at the newest', async () => {
  const slots = [0, 1, 2, 3, 4, 5].map((slot) => numberToHex(slot))
  const balances = [0, 1, 2].map((index) =>
    keccak256(`${pad(accountAt(index).address)}${'1'.padStart(64, '0')}` as Hex),
  )
  const proofs: Proof[] = []
  for (const block of ['earliest', ...heights.map((height) => numberToHex(height)), 'latest']) {
    proofs.push(await check(token, [...slots, ...balances], block))
    for (const address of [sender, accountAt(5).address, ABSENT]) await check(address, ['0x0'], block)
  }
  // The contract is not there in the genesis block, and another in each block after.
  expect(proofs[0]?.codeHash).toBe(ZERO_HASH)
  expect(new Set(proofs.map(({ storageHash }) => storageHash)).size).toBe(heights.length + 1)
})

it('eth_getProof names a block by its hash as by its number', async () => {
  const height = numberToHex(heights[1] ?? 0)
  const { hash } = await node().ask<{ hash: Hex }>('eth_getBlockByNumber', height, false)
  const byHash = await node().ask('eth_getProof', token, ['0x1'], { blockHash: hash })
  expect(byHash).toEqual(await node().ask('eth_getProof', token, ['0x1'], height))
})

it("eth_getProof and eth_getStorageAt show a module's values as the hashes that its trie has of them", async () => {
  const bank = bytesToHex(moduleAddress('bank'))
  const slot = keccak256(SUPPLY_KEY)
  for (const height of heights) {
    const query = `abci_query?path="/store/bank/key"&data=${SUPPLY_KEY}&height=${height}`
    const { response } = await node().comet<{ response: QueryResponse }>(query)
    const hash = trim(keccak256(new Uint8Array(Buffer.from(response.value ?? '', 'base64'))))
    const proof = await check(bank, [slot, '0x1'], numberToHex(height))
    expect(proof.nonce).toBe('0x1')
    expect(proof.storageProof.map(({ value }) => value)).toEqual([numberToHex(hexToBigInt(hash)), '0x0'])
  }
})

it('abci_query proves a value, and its absence, against the app hash of the consensus header that follows', async () => {
  const file = join(node().folder, 'reply.json')
  for (const [height, module, key, present] of [
    [heights[0], 'bank', SUPPLY_KEY, true],
    [heights[2], 'feemarket', BASE_FEE_KEY, true],
    [heights[4], 'bank', '0x07', false],
  ] as const) {
    const path = `path="/store/${module}/key"&data=${key}&height=${height}&prove=true`
    const result = await node().comet<{ response: QueryResponse }>(`abci_query?${path}`)
    const { response } = result
    expect(response).toMatchObject({ code: 0, height: `${height}` })
    expect(response.proofOps?.ops.map(({ type }) => type)).toEqual(['eth:mpt'])
    await node().untilHeight((height ?? 0) + 1)
    const { signed_header: signed } = await node().comet<{ signed_header: { header: { app_hash: string } } }>(
      `commit?height=${(height ?? 0) + 1}`,
    )
    const appHash = signed.header.app_hash
    writeFileSync(file, JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
    const proven = await runChain(['verify-proof', file, '--app-hash', appHash, '--module', module])
    expect(proven.stderr).toBe('')
    expect(proven.status).toBe(0)
    const value = bytesToHex(new Uint8Array(Buffer.from(response.value ?? '', 'base64')))
    expect(proven.stdout).toContain(`proven at height ${height}`)
    expect(proven.stdout).toContain(present ? `value ${value}` : 'no value')
    // Every node of it, with a library: header, then account, then slot.
    const [header, account, storage] = fromRlp(
      bytesToHex(new Uint8Array(Buffer.from(response.proofOps?.ops[0]?.data ?? '', 'base64'))),
    ) as [Hex, Hex[], Hex[]]
    expect(keccak256(header).slice(2)).toBe(appHash.toLowerCase())
    const stateRoot = (fromRlp(header) as Hex[])[3] ?? ZERO_HASH
    const leaf = await verify(stateRoot, bytesToHex(moduleAddress(module)), account)
    const storageRoot = (fromRlp(leaf ?? '0x') as Hex[])[2] ?? ZERO_HASH
    const held = await verify(storageRoot, keccak256(key), storage)
    expect(held === undefined ? undefined : fromRlp(held)).toBe(present ? trim(keccak256(value)) : undefined)
  }
  const wrong = await runChain(['verify-proof', file, '--app-hash', '11'.repeat(32), '--module', 'bank'])
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('does not have the app hash') })
})

it('chain verify-proof checks what eth_getProof says, and refuses what was changed', async () => {
  const height = numberToHex(heights[3] ?? 0)
  const { stateRoot } = await node().ask<{ stateRoot: Hex }>('eth_getBlockByNumber', height, false)
  const reply = await node().ask<Proof>('eth_getProof', token, ['0x1', '0x2'], height)
  const file = join(node().folder, 'proof.json')
  const verifyReply = async (changed: Proof): ReturnType<typeof runChain> => {
    writeFileSync(file, JSON.stringify(changed))
    return await runChain(['verify-proof', file, '--state-root', stateRoot])
  }
  expect(await verifyReply(reply)).toMatchObject({ status: 0, stdout: expect.stringContaining(`account ${token}`) })
  const { stderr, status } = await verifyReply({ ...reply, balance: '0x5' })
  expect([status, stderr]).toEqual([1, 'Error: the reply says balance 5, the proof 0 (cli/12)\n'])
  const cut = await verifyReply({ ...reply, accountProof: reply.accountProof.slice(1) })
  expect([cut.status, cut.stderr]).toEqual([1, 'Error: bad proof: a node is missing (trie/1)\n'])
})

it('abci_query refuses what it cannot prove', async () => {
  const ask = async (path: string): Promise<QueryResponse> =>
    (await node().comet<{ response: QueryResponse }>(`abci_query?${path}`)).response
  expect(await ask(`path="/store/nothing/key"&data=0x01&prove=true`)).toMatchObject({ code: 6, codespace: 'sdk' })
  expect(await ask(`path="/store/bank/key"&prove=true`)).toMatchObject({ code: 18, codespace: 'sdk' })
  expect(await ask(`path="/store/bank/key"&data=0x01&height=1000000`)).toMatchObject({ code: 26, codespace: 'sdk' })
})

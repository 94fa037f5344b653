/** Blocks as large as they get over gRPC, whose client in CometBFT takes 4 MiB and stops the chain at one byte more. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../bin/node/genesis/document.ts'
import { bytesToHex } from '../../core/hex.ts'
import { keccak256 } from '../../core/hash.ts'
import { expectConsistentHeights } from './consistency.ts'
import { createNode, type NodeOptions, type TestNode, until } from './harness.ts'
import { withoutReceipt } from './load.ts'
import { createNetwork, type Network } from './network.ts'
import { signTransfer, submitAll } from './transfers.ts'

const MAX_PROPOSAL_BYTES = 3 * 1024 * 1024
const PATIENT: Readonly<Record<string, string>> = {
  'consensus.timeout_propose': '"60s"',
  'p2p.send_rate': '100000000',
  'p2p.recv_rate': '100000000',
}
const OPTIONS: NodeOptions = { timeoutCommitMs: 300, abci: 'grpc', settings: { 'evm.max-block-ms': '60000' } }
/** Gas of calldata of zeros: 10 a byte at least (EIP-7623). */
const DATA_BYTES = 125_000
const DATA_GAS = 21_000n + 10n * BigInt(DATA_BYTES)

interface CometBlock {
  readonly block: {
    readonly header: { readonly proposer_address: string }
    readonly data: { readonly txs: readonly string[] | null }
  }
}

let nodes: readonly TestNode[] = []
let network: Network | undefined

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') for (const node of nodes) console.log(`a node wrote last:\n${node.lastWords()}`)
  for (const node of nodes) await node.remove()
  nodes = []
})
afterAll(async () => await network?.remove())

/** Blocks are to be as large as bytes allow: by their weight plain transfers would fill a third of that. */
const withMuchWeight = (document: GenesisDocument): GenesisDocument => ({
  ...document,
  app_state: { ...document.app_state, weight: { params: { max_block_weight: '10000000000' } } },
})

const openNode = async (maxGas?: bigint): Promise<TestNode> => {
  const node = await createNode(OPTIONS)
  nodes = [node]
  const [genesis, config] = ['genesis.json', 'config.toml'].map((name) => join(node.home, 'config', name))
  const toml = Object.entries(PATIENT).reduce(
    (text, [key, value]) => setTomlValue(text, key, value),
    readFileSync(config ?? '', 'utf8'),
  )
  writeFileSync(config ?? '', toml)
  const document = withMuchWeight(readGenesisJson(genesis ?? '') as GenesisDocument)
  const parameters = document.consensus_params as { readonly block: object }
  const block = maxGas === undefined ? parameters.block : { ...parameters.block, max_gas: `${maxGas}` }
  writeGenesis(genesis ?? '', { ...document, consensus_params: { ...parameters, block } })
  await node.start()
  return node
}

/** The pool is filled while no block is made: what follows fills one. */
const fillPool = async (into: TestNode, raws: readonly Uint8Array[], frozen: readonly TestNode[]): Promise<void> => {
  // The supervisors stop as well, for they would take their children for dead.
  const pids = frozen.flatMap((node) => [node.pid, node.pidOf('cometbft')])
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  await submitAll(into, raws)
  for (const pid of pids) process.kill(pid, 'SIGCONT')
}

interface SeenBlock {
  readonly height: number
  readonly bytes: number
  readonly count: number
  readonly proposer: string
}

const blockAt = async (node: TestNode, height: number): Promise<SeenBlock> => {
  const { block } = await node.comet<CometBlock>(`block?height=${height}`)
  const txs = block.data.txs ?? []
  const bytes = txs.reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0)
  return { height, bytes, count: txs.length, proposer: block.header.proposer_address }
}

/** Blocks from `from` on until all of `raws` have receipts. */
const untilIncluded = async (node: TestNode, from: number, raws: readonly Uint8Array[]): Promise<SeenBlock[]> => {
  const last = bytesToHex(keccak256(raws.at(-1) ?? new Uint8Array(0)))
  await until('the last receipt', async () => (await node.ask('eth_getTransactionReceipt', last)) ?? undefined)
  expect(
    await withoutReceipt(
      node,
      raws.slice(-200).map((raw) => bytesToHex(keccak256(raw))),
    ),
  ).toEqual([])
  const blocks: SeenBlock[] = []
  const head = await node.height()
  for (let height = from; height <= head; height++) blocks.push(await blockAt(node, height))
  return blocks
}

/** Makes as many of each account, all in the order of their nonces. */
const transfersOfAll = (perAccount: number): readonly Uint8Array[] =>
  Array.from({ length: 10 * perAccount }, (_, index) =>
    signTransfer({ account: index % 10, nonce: Math.floor(index / 10) }),
  )

const largest = (blocks: readonly SeenBlock[]): SeenBlock =>
  blocks.reduce((most, block) => (block.bytes > most.bytes ? block : most))

describe('over gRPC', () => {
  it('a block is filled to max_gas, then one with 3 MiB of calldata', async () => {
    const transfers = 2_000
    const node = await openNode(BigInt(transfers) * 21_000n)
    const cheap = Array.from({ length: transfers + 100 }, (_, nonce) => signTransfer({ account: 0, nonce }))
    const from = (await node.height()) + 1
    await fillPool(node, cheap, [node])
    const blocks = await untilIncluded(node, from, cheap)
    const { height } = largest(blocks)
    const tag = `0x${height.toString(16)}`
    const full = await node.ask<{ gasUsed: string; gasLimit: string }>('eth_getBlockByNumber', tag, false)
    expect(full.gasUsed).toBe(full.gasLimit)

    const data = new Uint8Array(DATA_BYTES)
    const heavy = Array.from({ length: 30 }, (_, nonce) => signTransfer({ account: 1, nonce, data, gas: DATA_GAS }))
    const next = (await node.height()) + 1
    await fillPool(node, heavy, [node])
    const { bytes } = largest(await untilIncluded(node, next, heavy))
    expect(bytes).toBeGreaterThan(MAX_PROPOSAL_BYTES - DATA_BYTES - 10_000)
    expect(bytes).toBeLessThanOrEqual(MAX_PROPOSAL_BYTES)
    await expectConsistentHeights(node, 1, await node.height())
  })

  it('a block is filled with 3 MiB of transfers', async () => {
    const node = await openNode()
    const raws = transfersOfAll(3_000)
    const from = (await node.height()) + 1
    await fillPool(node, raws, [node])
    const blocks = await untilIncluded(node, from, raws)
    const { bytes, count, height } = largest(blocks)
    console.log(`the largest block has ${count} transactions of ${bytes} bytes`)
    expect(bytes).toBeGreaterThan(0.95 * MAX_PROPOSAL_BYTES - 3 * count)
    expect(bytes).toBeLessThanOrEqual(MAX_PROPOSAL_BYTES)
    await node.untilHeight(height + 2)
    await expectConsistentHeights(node, 1, await node.height())
  })

  it('a block of more than 4 MiB that a node on the socket proposed is taken, and its events left out', async () => {
    const created = await createNetwork({
      members: [{ ...OPTIONS, abci: 'socket' }, OPTIONS],
      cometToml: PATIENT,
      editGenesis: withMuchWeight,
    })
    network = created
    ;({ nodes } = created)
    await created.start()
    const [socket, grpc] = [created.at(0), created.at(1)]
    const raws = transfersOfAll(4_700)
    const from = (await socket.height()) + 1
    await fillPool(socket, raws, [socket, grpc])
    const blocks = await untilIncluded(socket, from, raws)
    const { bytes, count, height, proposer } = largest(blocks)
    console.log(`the largest block has ${count} transactions of ${bytes} bytes`)
    expect(bytes).toBeGreaterThan(4 * 1024 * 1024)
    const { validator_info: info } = await socket.comet<{ validator_info: { address: string } }>('status')
    expect(proposer).toBe(info.address)
    await created.expectSameBlocks(height + 2)
    // Both have executed the block by now; what they wrote comes by a pipe.
    const cut = /abci finalizeBlock: an answer of \d+ bytes was cut to \d+/
    await until('the warning', () => (cut.test(grpc.output) ? true : undefined))
  })
})

import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { accountAt, createClient, createWallet } from './clients.ts'
import { tokenAbi, tokenBytecode } from './contracts/token.ts'
import { until, useNode } from './harness.ts'
import { startLoad } from './load.ts'

const BLOCKS = 12
const EVERY_MS = 40
const READERS = 4

const node = useNode({ timeoutCommitMs: 500 })

interface Block {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly string[]
}

/** Reads a block that eth_blockNumber has just shown; returns what was missing or wrong. */
const readAtOnce = async (tag: string): Promise<readonly string[]> => {
  const wrong: string[] = []
  const block = await node().ask<Block | null>('eth_getBlockByNumber', tag, false)
  if (block === null) return [`block ${tag}`]
  const [receipts, logs, balance] = await Promise.all([
    node().ask<unknown[] | null>('eth_getBlockReceipts', tag),
    node().ask<unknown[]>('eth_getLogs', { fromBlock: tag, toBlock: tag }),
    node().ask<string>('eth_getBalance', accountAt(0).address, tag),
  ])
  if (receipts?.length !== block.transactions.length) wrong.push(`receipts of ${tag}`)
  if (!Array.isArray(logs)) wrong.push(`logs of ${tag}`)
  if (!balance.startsWith('0x')) wrong.push(`balance at ${tag}`)
  for (const hash of block.transactions) {
    if ((await node().ask('eth_getTransactionReceipt', hash)) === null) wrong.push(`receipt ${hash}`)
    if ((await node().ask('eth_getTransactionByHash', hash)) === null) wrong.push(`transaction ${hash}`)
  }
  return wrong
}

describe('what eth_blockNumber has shown', () => {
  it('is readable at once, by every reader, under load', async () => {
    const load = await startLoad(node(), [accountAt(0), accountAt(1)], EVERY_MS)
    const wrong: string[] = []
    // Blocks of a slow machine hold few transactions: it goes on until each reader has seen some.
    const read = async (): Promise<void> => {
      let head = await node().height()
      const end = head + BLOCKS
      let transactions = 0
      while (head < end || transactions <= BLOCKS) {
        const height = await node().height()
        if (height < head) wrong.push(`eth_blockNumber went from ${head} back to ${height}`)
        if (height <= head) continue
        head = height
        const tag = `0x${height.toString(16)}`
        wrong.push(...(await readAtOnce(tag)))
        transactions += Number(await node().ask<string>('eth_getBlockTransactionCountByNumber', tag))
      }
    }
    await Promise.all(Array.from({ length: READERS }, read))
    await load.stop()
    expect(wrong).toEqual([])
  })

  it('is null at once for what does not exist', async () => {
    const unknown = `0x${'77'.repeat(32)}`
    expect(await node().ask('eth_getTransactionReceipt', unknown)).toBeNull()
    expect(await node().ask('eth_getTransactionByHash', unknown)).toBeNull()
    expect(await node().ask('eth_getBlockByHash', unknown, false)).toBeNull()
    expect(await node().ask('eth_getBlockByNumber', '0xffffff', false)).toBeNull()
  })
})

interface Notification {
  readonly params?: { readonly subscription: string; readonly result: Record<string, unknown> }
  readonly id?: number
  readonly result?: string
}

describe('what a subscription has shown', () => {
  it('is the header and the logs of the block, readable at once', async () => {
    const client = createClient(node())
    const wallet = createWallet(node(), accountAt(2))
    const deployment = await wallet.deployContract({ abi: tokenAbi, bytecode: tokenBytecode, args: [100n] })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })

    const socket = new WebSocket(node().urls.ws)
    const heads: { readonly head: Record<string, unknown>; readonly block: Record<string, unknown> | null }[] = []
    const logs: { readonly log: Record<string, unknown>; readonly receipt: { logs: unknown[] } | null }[] = []
    const reads: Promise<void>[] = []
    const ids = new Map<number, string>()
    const read = async ({ params }: Notification): Promise<void> => {
      if (params === undefined) return
      const { subscription, result } = params
      if (subscription === ids.get(1)) {
        heads.push({ head: result, block: await node().ask('eth_getBlockByNumber', result['number'], false) })
      } else {
        logs.push({ log: result, receipt: await node().ask('eth_getTransactionReceipt', result['transactionHash']) })
      }
    }
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Notification
      if (message.id !== undefined) ids.set(message.id, message.result ?? '')
      else reads.push(read(message))
    })
    await new Promise((resolve) => socket.once('open', resolve))
    const subscribe = (id: number, ...params: readonly unknown[]): void =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    subscribe(1, 'newHeads')
    subscribe(2, 'logs', { address: contractAddress })
    await until('both subscriptions', () => (ids.size === 2 ? true : undefined))
    for (let time = 0; time < 3; time++) {
      const args = [accountAt(3).address, 1n] as const
      const call = { address: contractAddress ?? '0x', abi: tokenAbi, functionName: 'transfer', args } as const
      await client.waitForTransactionReceipt({ hash: await wallet.writeContract(call) })
    }
    await until('three logs and heads', () => (logs.length >= 3 && heads.length >= 3 ? true : undefined))
    socket.close()
    await Promise.all(reads)

    for (const { head, block } of heads) {
      expect(block).not.toBeNull()
      // The block is the head and what newHeads leaves out.
      expect(block).toMatchObject(head)
      const left = Object.keys(block ?? {}).filter((key) => !(key in head))
      expect(left.toSorted()).toEqual(['size', 'transactions', 'uncles', 'withdrawals'])
    }
    for (const { log, receipt } of logs) expect(receipt?.logs).toContainEqual(log)
    const shown = new Set(heads.map(({ head }) => head['hash']))
    for (const { log } of logs) expect(shown).toContain(log['blockHash'])
  })
})

import { parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCallSequence } from '../../abci/testing/grammar.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { expectConsistentHeights } from './consistency.ts'
import { callJsonRpc, createNode, descendants, isAlive, type TestNode, until } from './harness.ts'

/** How long to wait for the first answer; how long it took is printed, and measured by `make bench`. */
const FIRST_ANSWER_LIMIT_MS = 20_000

let node: TestNode

const heightSaid = (word: 'started' | 'stopped'): number =>
  Number(new RegExp(`${word} .*?height=(\\d+)`).exec(node.output)?.[1])

/** The gateway may answer before the node has said that it started. */
const startedAt = (): Promise<number> =>
  until('the line that says at which height it started', () => {
    const height = heightSaid('started')
    return Number.isNaN(height) ? undefined : height
  })

const stopInOrder = async (signal: NodeJS.Signals): Promise<number> => {
  const family = [...descendants(node.pid).keys()]
  expect(await node.stop(signal)).toBe(0)
  expect(family.filter(isAlive)).toEqual([])
  return heightSaid('stopped')
}

beforeAll(async () => {
  node = await createNode({ isRecorded: true })
  await node.start()
})
afterAll(async () => await node?.remove())

describe('a node that is stopped and started', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends with status 0 on %s, and goes on from the same height',
    async (signal) => {
      await node.untilHeight(2)
      // Application, CometBFT, gateway, and the process of its native ports.
      await expect.poll(() => descendants(node.pid).size).toBe(4)
      const stoppedAt = await stopInOrder(signal)
      const startedAtMs = performance.now()
      node.spawn()
      const first = await node.untilHeight(stoppedAt, FIRST_ANSWER_LIMIT_MS)
      const tookMs = performance.now() - startedAtMs
      console.log(`first answer ${Math.round(tookMs)} ms after the start, at height ${first}`)
      expect(await startedAt()).toBe(stoppedAt)
      await node.untilHeight(stoppedAt + 2)
      const [before, after] = [`0x${stoppedAt.toString(16)}`, `0x${(stoppedAt + 1).toString(16)}`]
      const parent = await node.ask<{ hash: string }>('eth_getBlockByNumber', before, false)
      expect(await node.ask('eth_getBlockByNumber', after, false)).toMatchObject({ parentHash: parent.hash })
    },
  )

  it('keeps a transaction behind a gap, and includes it once the gap is filled', async () => {
    const client = createClient(node)
    const wallet = createWallet(node, accountAt(0))
    const to = '0x00000000000000000000000000000000000e2e01'
    const transfer = { to, value: parseEther('1'), gas: 21_000n } as const
    const waiting = await wallet.sendTransaction({ ...transfer, nonce: 1 })
    const height = await node.height()
    await node.untilHeight(height + 2)
    expect(await node.ask('eth_getTransactionReceipt', waiting)).toBeNull()
    await stopInOrder('SIGINT')
    await node.start()
    expect(await node.ask('eth_getTransactionByHash', waiting)).toMatchObject({ hash: waiting, blockHash: null })
    const filling = await wallet.sendTransaction({ ...transfer, nonce: 0 })
    for (const hash of [filling, waiting]) {
      expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
    }
    expect(await client.getBalance({ address: to })).toBe(parseEther('2'))
  })

  const said = (words: string) => (): Promise<unknown> =>
    until(words, () => (node.output.includes(words) ? true : undefined))
  const callInFlight = async (): Promise<void> => {
    await node.untilHeight(1)
    // Its thread is loading when the node is told to stop.
    void callJsonRpc(node.urls.http, 'eth_call', { to: accountAt(1).address }, 'latest').catch(() => undefined)
    await node.ask('eth_chainId')
  }
  it.each([
    ['it listens for CometBFT', said('abci server listening')],
    ['it has started', said('started chainId')],
    ['its gateway has started', said('gateway started')],
    ['its first call is on its way', callInFlight],
  ])('ends in order when it is told to as soon as %s', async (_moment, reached) => {
    await node.stop()
    node.spawn()
    await reached()
    const stoppedAt = await stopInOrder('SIGINT')
    await node.start()
    expect(await startedAt()).toBe(stoppedAt)
  })

  it('makes one chain of it all, with calls in the order of the grammar', async () => {
    // A further block: CometBFT answers too.
    await expectConsistentHeights(node, 1, await node.untilHeight((await node.height()) + 1))
    expect(checkCallSequence(node.calls())).toBeUndefined()
    expect(node.calls().filter(({ method }) => method === 'commit').length).toBeGreaterThanOrEqual(6)
  })
})

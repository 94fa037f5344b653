/**
 * A flood of transfers fills all of CometBFT's mempool that is theirs, of a validator and of the node to which a client sends:
 * an order passes it, for the other half is for orders.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { SignedClobTx } from '../../packages/clob/index.ts'
import { chainTime, orderResult, place, sendOrder, signOrder } from './clob-orders.ts'
import { accountAt } from './clients.ts'
import { postJsonRpc, until } from './harness.ts'
import { createNetwork, type Network } from './network.ts'
import { signTransfer, submitAll } from './transfers.ts'

/** A machine that runs other tests, too, takes its time to send, check and tell 27,000 transfers. */
const FLOOD_LIMIT_MS = 600_000
/**
 * Blocks wait for the flood, too: what matters is that it is there all the time. CometBFT asks again of all of it after each,
 * for which a slow machine takes seconds: blocks that come often would leave it no time to take the rest.
 */
const OPTIONS = { timeoutCommitMs: 2_000, hasTestMarkets: true } as const
const SENDERS = [0, 1, 2, 3, 4, 5]
const PER_SENDER = 4_500
/** A block takes a small part of the flood, however long a slow machine takes to send it. */
const BLOCK_GAS = 1_000_000
/** Full blocks make it dear; the flood stays. */
const MAX_FEE_PER_GAS = 10n ** 13n
/** The share of CometBFT's mempool that others may take: app/pool/limits.ts. */
const OTHERS_SHARE = 20_000
const ORDERS = 4
/** The orders that each of the senders has: a block takes 151 orders of them all, so that the last comes after a dozen. */
const EARLIER_ORDERS = 300
const SOON_BLOCKS = 4
/** An order may miss, beside blocks that are full of transfers, the vote of the block after it was sent. */
const FEW_BLOCKS = 10

let network: Network

beforeAll(async () => {
  const created = await createNetwork({
    members: [OPTIONS, { ...OPTIONS, isFull: true }],
    editGenesis: (genesis) => {
      const parameters = genesis.consensus_params as { readonly block: object }
      const block = { ...parameters.block, max_gas: `${BLOCK_GAS}` }
      return { ...genesis, consensus_params: { ...parameters, block } }
    },
  })
  network = created
  await created.start()
  // Until then its CometBFT takes no transactions.
  const caughtUp = async (): Promise<true | undefined> => {
    const { sync_info: info } = await network.at(1).comet<{ sync_info: { catching_up: boolean } }>('status')
    return info.catching_up ? undefined : true
  }
  await until('the full node to have caught up', caughtUp)
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => await network?.remove())

const unconfirmed = async (index: number): Promise<number> =>
  Number((await network.at(index).comet<{ readonly total: string }>('num_unconfirmed_txs')).total)

it('an owner who has one order is in a block soon, however many valid ones others have sent before', async () => {
  const validator = network.at(0)
  const time = await chainTime(validator)
  const flood: SignedClobTx[] = []
  for (let index = 0; index < EARLIER_ORDERS; index++) {
    for (const sender of SENDERS) {
      const limit = { market: 1, side: 'sell', priceTicks: 2_000 + index, qtyLots: 2_000 } as const
      flood.push(await signOrder(accountAt(sender), [place(limit)], time))
    }
  }
  for (let from = 0; from < flood.length; from += 100) {
    const batch = flood.slice(from, from + 100)
    const calls = batch.map((order, id) => ({ jsonrpc: '2.0', id, method: 'clob_sendOrder', params: [order] }))
    const answers: unknown = await postJsonRpc(validator.urls.http, JSON.stringify(calls))
    expect((answers as readonly { readonly error?: unknown }[]).flatMap(({ error }) => error ?? [])).toEqual([])
  }
  const { hash, sentAt } = await sendOrder(validator, accountAt(7), [
    place({ market: 1, side: 'sell', priceTicks: 1_000, qtyLots: 2_000 }),
  ])
  const { height, code } = await orderResult(validator, hash)
  const left = await unconfirmed(0)
  console.log(`${flood.length} orders of ${SENDERS.length} owners before: +${height - sentAt} blocks, ${left} left`)
  expect(code).toBe(0)
  // It waits for the vote on the block that is being made, and those of that vote come before it.
  expect(height - sentAt).toBeLessThanOrEqual(SOON_BLOCKS)
  // Those before it would have filled more.
  expect(left).toBeGreaterThan(2 * 150)
})

it('an order that a client sends through a full mempool is in a block within a few blocks', async () => {
  const [validator, full] = [network.at(0), network.at(1)]
  const flood = Array.from({ length: PER_SENDER }, (_, nonce) =>
    SENDERS.map((account) => signTransfer({ account, nonce, maxFeePerGas: MAX_FEE_PER_GAS })),
  ).flat()
  const most = [0, 0]
  const look = async (): Promise<readonly number[]> => {
    const counts = [await unconfirmed(0), await unconfirmed(1)]
    for (const [index, count] of counts.entries()) most[index] = Math.max(most[index] ?? 0, count)
    return counts
  }
  // Orders of before have the other half of the mempools: blocks take them in time, however quick the machine is.
  const isEmpty = async (): Promise<true | undefined> =>
    (await unconfirmed(0)) + (await unconfirmed(1)) === 0 || undefined
  await until('blocks to have taken the earlier orders', isEmpty, FLOOD_LIMIT_MS)
  await submitAll(full, flood)
  const isFlooded = async (): Promise<true | undefined> =>
    (await look()).every((count) => count >= 0.9 * OTHERS_SHARE) || undefined
  await until('a flood', isFlooded, FLOOD_LIMIT_MS).catch((error: unknown) => {
    throw new TypeError(`${String(error)}: at most ${most.join('/')}`)
  })
  const seen: string[] = []
  const late: number[] = []
  for (let index = 0; index < ORDERS; index++) {
    const counts = await look()
    const sentMs = performance.now()
    const { hash, sentAt } = await sendOrder(full, accountAt(7), [
      place({ market: 1, side: 'sell', priceTicks: 1_000 + index, qtyLots: 2_000 }),
    ])
    const result = await orderResult(validator, hash)
    const blocks = result.height - sentAt
    if (blocks > FEW_BLOCKS) late.push(blocks)
    seen.push(`${counts.join('/')} transfers: +${blocks} blocks, ${Math.round(performance.now() - sentMs)} ms`)
    expect(result).toMatchObject({ code: 0, actions: [{ code: 0 }] })
  }
  const left = await look()
  console.log(`mempools of validator and full node; ${seen.join('; ')}; left ${left.join('/')}, most ${most.join('/')}`)
  expect(late).toEqual([])
  // The flood is still there.
  for (const count of left) expect(count).toBeGreaterThan(OTHERS_SHARE / 2)
  for (const count of most) expect(count).toBeLessThanOrEqual(OTHERS_SHARE + ORDERS)
})

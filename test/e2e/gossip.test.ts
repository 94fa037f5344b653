/** Only what can execute is in CometBFT's mempools; what waits is told to the network once it can. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POOL_CODES } from '../../app/errors.ts'
import type { Hex } from '../../core/hex.ts'
import { accountAt } from './clients.ts'
import { EVM_CHAIN_ID, until } from './harness.ts'
import { createNetwork, type Network } from './network.ts'

/** Transactions behind gaps would fill it several times. */
const MEMPOOL_SIZE = 100
const GREEDY = [1, 2, 3, 4, 5]
const PER_ACCOUNT = 60
const GWEI = 1_000_000_000n
const OPTIONS = { timeoutCommitMs: 500 } as const

let network: Network

beforeAll(async () => {
  const created = await createNetwork({
    members: [OPTIONS, { ...OPTIONS, isFull: true }],
    cometToml: { 'mempool.size': String(MEMPOOL_SIZE) },
  })
  network = created
  await created.start()
  // Until then its CometBFT takes no transactions.
  await until('the full node to have caught up', async () =>
    (await network.at(1).comet<SyncStatus>('status')).sync_info.catching_up ? undefined : true,
  )
})

afterAll(async () => await network.remove())

const sign = (index: number, nonce: number): Promise<Hex> =>
  accountAt(index).signTransaction({
    chainId: EVM_CHAIN_ID,
    type: 'eip1559',
    nonce,
    to: accountAt(9).address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: GWEI,
  })

interface SyncStatus {
  readonly sync_info: { readonly catching_up: boolean }
}

interface Checked {
  readonly code: number
  readonly log: string
}

/** Past the node's own door, to its CometBFT. */
const broadcast = (raw: Hex): Promise<Checked> => network.at(1).comet<Checked>(`broadcast_tx_sync?tx=${raw}`)

const unconfirmed = async (): Promise<readonly number[]> => {
  const answers = network.nodes.map((node) => node.comet<{ readonly total: string }>('num_unconfirmed_txs'))
  return (await Promise.all(answers)).map(({ total }) => Number(total))
}

/** That a block of the validator, which knows only what it was told, holds all. */
const expectIncluded = async (hashes: readonly string[]): Promise<void> => {
  for (const hash of hashes) {
    const receipt = await until(`the receipt of ${hash}`, async () => {
      const answer = await network.at(1).ask<{ readonly status: Hex } | null>('eth_getTransactionReceipt', hash)
      return answer ?? undefined
    })
    expect(receipt.status).toBe('0x1')
  }
}

describe('a full node and a validator', () => {
  it('gossip while a client holds hundreds of transactions behind gaps', async () => {
    for (const index of GREEDY) {
      const raws = await Promise.all(Array.from({ length: PER_ACCOUNT }, (_, nonce) => sign(index, nonce + 1)))
      const answers = await Promise.all(raws.map(broadcast))
      for (const { code } of answers) expect(code).toBe(POOL_CODES.waiting)
    }
    expect(await unconfirmed()).toEqual([0, 0])
    await expectIncluded([await network.at(1).ask<Hex>('eth_sendRawTransaction', await sign(0, 0))])
  })

  it('lose nothing that came in another order: what the gap held back is told when it closes', async () => {
    const raws = await Promise.all([0, 1, 2, 3].map((nonce) => sign(8, nonce)))
    const [first, second, third, fourth] = raws as [Hex, Hex, Hex, Hex]
    expect(await broadcast(fourth)).toMatchObject({
      code: POOL_CODES.waiting,
      log: 'a transaction with a lower nonce is missing: the transaction waits in the pool of this node',
    })
    const hashes = []
    for (const raw of [third, second]) hashes.push(await network.at(1).ask<Hex>('eth_sendRawTransaction', raw))
    expect(await broadcast(first)).toMatchObject({ code: 0 })
    await expectIncluded(hashes)
    await until('the nonce after all', async () => {
      const count = await network.at(0).ask<Hex>('eth_getTransactionCount', accountAt(8).address, 'latest')
      return Number(count) === raws.length ? true : undefined
    })
  })

  it('promote all of a greedy account once it sends what was missing', async () => {
    const [greedy = 0] = GREEDY
    await network.at(1).ask('eth_sendRawTransaction', await sign(greedy, 0))
    await until('the nonce after all', async () => {
      const count = await network.at(0).ask<Hex>('eth_getTransactionCount', accountAt(greedy).address, 'latest')
      return Number(count) === PER_ACCOUNT + 1 ? true : undefined
    })
    const empty = await until('empty mempools', async () => {
      const counts = await unconfirmed()
      return counts.some((count) => count > 0) ? undefined : counts
    })
    expect(empty).toEqual([0, 0])
  })
})

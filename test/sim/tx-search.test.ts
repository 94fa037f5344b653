/** What clients page over when they search is what they are shown: never the vote extensions that begin a block. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Consensus } from '../../app/environment.ts'
import { familyOf } from '../../app/families/index.ts'
import { ChainReader } from '../../app/index/chain-reader.ts'
import { readBlockContent } from '../../app/index/finalize-request.ts'
import { deleteBlock } from '../../app/index/prune-blocks.ts'
import { searchTransactions } from '../../query/tx-search.ts'
import { TX_SERVICE, TxService } from '../../query/tx-service.ts'
import type { ChainView } from '../../query/chain-view.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import { sha256 } from '../../core/hash.ts'
import { type pagination, txService } from '../../proto/index.ts'
import { writeBaseHeight } from '../../store/base-height.ts'
import { type DecidedBlock, withTransactions } from './driver.ts'
import { sendMessage, signNative } from './native-transactions.ts'
import { OrderChain } from './orders/order-chain.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { openView } from './open-view.ts'
import { gossip, makeWorld, type World } from './world.ts'

const { getTx, getTxsEvent, getBlockWithTxs } = txService.Service.method

const hashOf = (raw: Uint8Array): string => bytesToUnprefixedHex(sha256(raw)).toUpperCase()
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** CometBFT's index of heights, as its kv indexer pages it: over every transaction of the blocks. */
const cometOf = (blocks: readonly DecidedBlock[]): Consensus => ({
  consensusRpc: (route) => {
    const parameters = new URLSearchParams(route.slice(route.indexOf('?') + 1))
    if (route.startsWith('block?')) {
      const block = blocks.find((each) => each.block.height === Number(parameters.get('height')))?.block
      return Promise.resolve({ block: { data: { txs: block?.transactions.map(base64) } } })
    }
    const [, height] = /^"tx\.height=(\d+)"$/.exec(parameters.get('query') ?? '') ?? []
    const [page, size] = [Number(parameters.get('page')), Number(parameters.get('per_page'))]
    const all = blocks.filter(({ block }) => String(block.height) === height).flatMap(({ block }) => block.transactions)
    const txs = all.slice((page - 1) * size, page * size)
    return Promise.resolve({
      txs: txs.map((raw) => ({ height, tx: base64(raw), tx_result: {} })),
      total_count: String(all.length),
    })
  },
})

const refuse = (): never => {
  throw new TypeError('not asked')
}

interface Stage {
  readonly world: World
  readonly view: ChainView
  readonly blocks: readonly DecidedBlock[]
  /** The transactions of a block, in its order, as they are shown. */
  shownAt(height: number): readonly string[]
  search(
    request: MessageInitShape<typeof txService.GetTxsEventRequestSchema>,
  ): Promise<{ readonly hashes: readonly string[]; readonly total: number }>
  block(
    height: number,
    page?: MessageInitShape<typeof pagination.PageRequestSchema>,
  ): Promise<txService.GetBlockWithTxsResponse>
}

/** Eight blocks, some without transactions of anybody. */
const grow = async (world: World): Promise<readonly DecidedBlock[]> => {
  const { driver, nodes, accounts } = world
  const blocks: DecidedBlock[] = []
  for (let height = 1; height <= 8; height++) {
    for (const [index, account] of accounts.slice(0, height % 4).entries()) {
      const nonce = blocks.filter(({ block }) => block.height % 4 > index).length
      const messages = [sendMessage(account, new Uint8Array(20).fill(7), [{ denom: 'anat', amount: '1' }])]
      const { chainId } = driver.setup
      const raw =
        index === 1
          ? await signNative({ chainId, messages, signers: [{ account, sequence: nonce }], gas: 200_000n })
          : await signTransaction(account, 2, { nonce, to: account.address, maxFeePerGas: 50n * GWEI })
      expect(gossip(nodes, raw)).toBe(true)
    }
    blocks.push(await driver.step())
  }
  return blocks
}

const stage = (salt: number, run: (stage: Stage) => Promise<void>) =>
  seeded(salt, async (random) => {
    const world = await makeWorld({ random, nodes: [{ name: 'a' }] })
    const [node] = world.nodes
    if (node === undefined) throw new TypeError('a world has nodes')
    const blocks = await grow(world)
    const view = await openView(node)
    const service = new TxService({ environment: cometOf(blocks), broadcast: refuse, failedNative: refuse })
    const ask = async (name: string, request: Uint8Array): Promise<Uint8Array> =>
      await service.answer(view, `${TX_SERVICE}${name}`, request, false)
    try {
      await run({
        world,
        view,
        blocks,
        shownAt: (height) =>
          blocks
            .filter(({ block }) => block.height === height)
            .flatMap(({ block }) => block.transactions)
            .filter((raw) => familyOf(raw).name !== 'injected')
            .map(hashOf),
        search: async (request) => {
          const { name, input, output } = getTxsEvent
          const answer = fromBinary(output, await ask(name, toBinary(input, create(input, request))))
          expect(answer.txs).toHaveLength(answer.txResponses.length)
          return { hashes: answer.txResponses.map(({ txhash }) => txhash), total: Number(answer.total) }
        },
        block: async (height, page) => {
          const { name, input, output } = getBlockWithTxs
          const request = create(input, { height: BigInt(height), ...(page === undefined ? {} : { pagination: page }) })
          return fromBinary(output, await ask(name, toBinary(input, request)))
        },
      })
    } finally {
      view.close()
      await world.close()
    }
  })

describe('transactions of a height', () => {
  it(
    'are paged over without the vote extensions',
    stage(741, async ({ search, shownAt, blocks }) => {
      expect(familyOf(blocks[2]?.block.transactions[0] ?? new Uint8Array(0)).name).toBe('injected')
      const expected = shownAt(3)
      expect(expected).toHaveLength(3)
      const pages: string[] = []
      for (const page of [1n, 2n, 3n]) {
        const { hashes, total } = await search({ query: 'tx.height=3', page, limit: 1n })
        expect([hashes.length, total]).toEqual([1, 3])
        pages.push(...hashes)
      }
      expect(pages).toEqual(expected)
      await expect(search({ query: 'tx.height=3', page: 4n, limit: 1n })).rejects.toMatchObject({
        codespace: 'grpc',
        code: 3,
        message: 'failed to search for txs: page should be within [1, 3] range, given 4',
      })
      const { DESC } = txService.OrderBy
      expect((await search({ query: "tx.height = '3'", orderBy: DESC })).hashes).toEqual(expected.toReversed())
      expect(await search({ query: 'tx.height=4' })).toEqual({ hashes: [], total: 0 })
      expect(await search({ query: 'tx.height=99' })).toEqual({ hashes: [], total: 0 })
    }),
  )

  it(
    'or of a range of them come in order, whatever lies between them',
    stage(742, async ({ search, shownAt }) => {
      const between = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, index) => shownAt(from + index)).flat()
      const all = between(1, 8)
      expect(all).toHaveLength(12)
      expect(await search({ query: 'tx.height>=1' })).toEqual({ hashes: all, total: 12 })
      expect(await search({ query: 'tx.height>2 AND tx.height<=6' })).toEqual({ hashes: between(3, 6), total: 6 })
      expect(await search({ events: ['tx.height>6', 'tx.height<9'] })).toEqual({ hashes: between(7, 8), total: 3 })
      expect(await search({ query: 'tx.height>7 AND tx.height<5' })).toEqual({ hashes: [], total: 0 })
      const { DESC } = txService.OrderBy
      const backwards: string[] = []
      for (const page of [1n, 2n, 3n]) {
        const { hashes, total } = await search({ query: 'tx.height>0', page, limit: 5n, orderBy: DESC })
        expect(total).toBe(12)
        backwards.push(...hashes)
      }
      expect(backwards).toEqual(all.toReversed())
      await expect(search({ query: 'tx.height EXISTS' })).rejects.toMatchObject({ codespace: 'grpc', code: 3 })
    }),
  )

  it(
    'are counted without what was not valid at its place, and refused where blocks of them are not here',
    stage(744, async ({ search, shownAt, world, view }) => {
      const block = await world.driver.propose(world.nodes[0] as SimNode)
      const [first = new Uint8Array(0)] = block.transactions
      // Decided all the same: a list of vote extensions where none may be, and bytes of no family.
      await world.driver.decide(withTransactions(block, [...block.transactions, first, Uint8Array.of(0x42)]))
      const { store } = view.reader
      const batch = store.batch()
      for (let height = 0; height < 3; height++) deleteBlock(batch, view.reader, height)
      writeBaseHeight(batch, 3)
      store.write(batch, { sync: false })
      const all = [3, 4, 5, 6, 7, 8].flatMap(shownAt)
      expect(await search({ query: 'tx.height>=3' })).toEqual({ hashes: all, total: all.length })
      for (const query of ['tx.height>0', 'tx.height=2', 'tx.height<5', 'tx.height>=2']) {
        const height = query.endsWith('2') ? 2 : 1
        await expect(search({ query })).rejects.toMatchObject({
          codespace: 'grpc',
          code: 3,
          message: `failed to search for txs: height ${height} is not available, lowest height is 3: ask for tx.height>=3`,
        })
      }
      const after = { ...view, head: 9, reader: new ChainReader(store) }
      const wanted = create(getTxsEvent.input, { query: 'tx.height=9' })
      expect(await searchTransactions(cometOf([]), after, wanted)).toEqual({ txs: [], txResponses: [], total: 0n })
    }),
  )

  it(
    'are those of a block, with its pages',
    stage(743, async ({ block, shownAt, blocks }) => {
      const whole = await block(3)
      expect(whole.txs).toHaveLength(3)
      expect(whole.pagination).toMatchObject({ total: 3n, nextKey: new Uint8Array(0) })
      // The block has all, as CometBFT has it: its data hash is of all.
      expect(whole.block?.data?.txs).toHaveLength(blocks[2]?.block.transactions.length ?? 0)
      const first = await block(3, { limit: 2n })
      expect([first.txs.length, first.pagination?.total]).toEqual([2, 3n])
      const second = await block(3, { limit: 2n, key: first.pagination?.nextKey ?? new Uint8Array(0) })
      expect([...first.txs, ...second.txs]).toEqual(whole.txs)
      expect(second.pagination).toMatchObject({ total: 3n, nextKey: new Uint8Array(0) })
      expect((await block(3, { offset: 1n, limit: 1n })).txs).toEqual(whole.txs.slice(1, 2))
      expect((await block(3, { reverse: true })).txs).toEqual(whole.txs.toReversed())
      await expect(block(3, { offset: 3n })).rejects.toMatchObject({ codespace: 'grpc', code: 3 })
      expect((await block(4)).txs).toEqual([])
      expect(shownAt(4)).toEqual([])
    }),
  )

  it(
    'are none of the order book, which are no Tx',
    seeded(745, async (random) => {
      const chain = await OrderChain.open({ random, nodes: [{ name: 'a' }], extensionsFrom: 1 })
      for (let step = 0; step < 12; step++) await chain.turmoil()
      const view = await openView(chain.world.nodes[0] as SimNode)
      const service = new TxService({ environment: cometOf([]), broadcast: refuse, failedNative: () => undefined })
      const blocks = Array.from({ length: view.head }, (_, index) => readBlockContent(view.reader.store, index + 1))
      const all = blocks.flatMap((block) => block?.transactions ?? [])
      const orders = all.filter((raw) => familyOf(raw).name === 'clob')
      expect(orders.length).toBeGreaterThan(0)
      try {
        const wanted = create(getTxsEvent.input, { query: 'tx.height>0' })
        const found = await searchTransactions(cometOf([]), view, wanted)
        const hashes = new Set(found.txResponses?.map(({ txhash }) => txhash))
        expect(Number(found.total)).toBe(hashes.size)
        for (const raw of orders) {
          expect(hashes.has(hashOf(raw))).toBe(false)
          const request = toBinary(getTx.input, create(getTx.input, { hash: hashOf(raw) }))
          await expect(
            (async () => await service.answer(view, `${TX_SERVICE}${getTx.name}`, request, false))(),
          ).rejects.toMatchObject({ codespace: 'grpc', code: 5, message: `tx not found: ${hashOf(raw)}` })
        }
      } finally {
        view.close()
        await chain.world.close()
      }
    }),
  )
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBlockContent } from '../../app/index/finalize-request.ts'
import {
  decodeHeaderRecord,
  decodeStoredReceipt,
  encodeHeaderRecord,
  encodeItems,
  encodeStoredReceipt,
  itemAt,
  itemCount,
} from '../../app/records/records.ts'
import type { Receipt } from '../../app/records/receipt.ts'
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'
import { decodeAccount, encodeAccount } from '../../store/account-codec.ts'
import { type Difference, replayBlocks } from '../../app/replay.ts'
import { invariant } from '../../core/errors.ts'
import { accountKey, finalizeRequestKey, headerKey, historyKey, receiptsKey } from '../../store/keys.ts'
import type { Column } from '../../store/store.ts'
import { scanAll } from './oracle.ts'
import { seeded } from './random.ts'
import { createSimulatedEngine, type SimNode } from './sim-node.ts'
import { fillPools, pickRoute, proposeInRounds, spoil } from './turmoil.ts'
import { makeWorld, type World } from './world.ts'

const BLOCKS = 40

const first = (world: World): SimNode => world.nodes[0] as SimNode

const replay = async (
  node: SimNode,
  options: { readonly from?: number; readonly to?: number; readonly maxLayerEntries?: number } = {},
): Promise<Difference | undefined> => {
  const { parameters, height } = node.application
  invariant(parameters !== undefined, 'the chain has begun')
  return await replayBlocks({
    store: node.store,
    parameters,
    head: height,
    engine: await createSimulatedEngine(),
    environment: { clock: { nowMs: () => 0, wallMs: () => 0 }, yieldToEventLoop: () => Promise.resolve() },
    from: parameters.initialHeight,
    to: height,
    ...options,
  })
}

const COLUMNS: readonly Column[] = ['meta', 'state', 'code', 'history', 'trie', 'trie_history', 'blocks', 'index']
const contents = (node: SimNode) => COLUMNS.map((column) => scanAll(node.store, column))

/** Overwrites one value in the database, behind the application. */
const damage = (node: SimNode, column: Column, key: Uint8Array, change: (value: Uint8Array) => Uint8Array): void => {
  const value = node.store.get(column, key)
  invariant(value !== undefined, 'there is something to damage')
  const batch = node.store.batch()
  batch.put(column, key, change(value))
  node.store.write(batch, { sync: false })
}

describe('replay', () => {
  it(
    'gives every block of a turbulent run once more, from every height, whatever it may keep in memory',
    seeded(310, async (random) => {
      const home = mkdtempSync(join(tmpdir(), 'replay-'))
      const world = await makeWorld({ random, nodes: [{ name: 'a', path: home }, { name: 'b' }], extensionsFrom: 5 })
      try {
        const { driver, nodes } = world
        for (let height = 1; height <= BLOCKS; height++) {
          await fillPools(world, random.below(10))
          const { block, round } = await proposeInRounds(world)
          const decided = random.chance(25) ? await spoil(world, block) : block
          await driver.decide(decided, round, () => pickRoute(random))
          const { hash: _, ...content } = decided
          expect(readBlockContent(first(world).store, height)).toEqual(content)
        }
        for (const node of nodes) {
          const before = contents(node)
          expect(await replay(node)).toBeUndefined()
          expect(await replay(node, { maxLayerEntries: 0 })).toBeUndefined()
          expect(await replay(node, { maxLayerEntries: 200 })).toBeUndefined()
          for (const from of [2, 7, 20, BLOCKS])
            expect(await replay(node, { from, to: Math.min(BLOCKS, from + 9) })).toBeUndefined()
          expect(contents(node)).toEqual(before)
        }
      } finally {
        await world.close()
        rmSync(home, { recursive: true, force: true })
      }
    }),
  )

  it(
    'names the first block that differs and what differs in it',
    seeded(311, async (random) => {
      const world = await makeWorld({ random, nodes: [{ name: 'a' }], extensionsFrom: 0 })
      const node = first(world)
      for (let height = 1; height <= 12; height++) {
        await fillPools(world, 6)
        await world.driver.step()
      }
      const store = node.store
      const changedHeader = (name: 'gasUsed' | 'baseFeePerGas' | 'timestamp') => (value: Uint8Array) => {
        const record = decodeHeaderRecord(value)
        const was = record.header[name]
        return encodeHeaderRecord({
          ...record,
          header: { ...record.header, [name]: typeof was === 'bigint' ? was + 1n : was + 1 },
        })
      }
      for (const name of ['gasUsed', 'baseFeePerGas', 'timestamp'] as const) {
        const original = store.get('blocks', headerKey(9)) as Uint8Array
        damage(node, 'blocks', headerKey(9), changedHeader(name))
        expect(await replay(node)).toMatchObject({ height: 9, what: name })
        expect(await replay(node, { to: 8 })).toBeUndefined()
        damage(node, 'blocks', headerKey(9), () => original)
      }
      const receipts = store.get('blocks', receiptsKey(6)) as Uint8Array
      const stored = Array.from({ length: itemCount(receipts) }, (_, i) => decodeStoredReceipt(itemAt(receipts, i)))
      const changedReceipts = (change: Partial<Receipt>) => (): Uint8Array =>
        encodeItems(stored.map((receipt, i) => encodeStoredReceipt(i === 1 ? { ...receipt, ...change } : receipt)))
      const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(1) }
      for (const [change, what] of [
        [{ gasUsed: 5n }, 'receipt 1, gasUsed'],
        [{ logs: [log] }, 'receipt 1, logs'],
      ] as const) {
        damage(node, 'blocks', receiptsKey(6), changedReceipts(change))
        expect(await replay(node)).toMatchObject({ height: 6, what })
      }
      damage(node, 'blocks', receiptsKey(6), (value) => value.subarray(0, value.length - 3))
      await expect(replay(node)).rejects.toThrow(/rlp/)
      damage(node, 'blocks', receiptsKey(6), () => receipts)
      expect(await replay(node)).toBeUndefined()
      // What an account was before block 3: the state that a replay from there begins with.
      damage(node, 'history', historyKey(accountKey(FEE_COLLECTOR_ADDRESS), 3), (held) => {
        const account = decodeAccount(held.subarray(1))
        return concatBytes(held.subarray(0, 1), encodeAccount({ ...account, balance: account.balance + 1n }))
      })
      expect(await replay(node, { from: 3 })).toMatchObject({ height: 3, what: 'stateRoot' })
      expect(await replay(node, { from: 4 })).toBeUndefined()
      const batch = store.batch()
      batch.delete('blocks', finalizeRequestKey(7))
      store.write(batch, { sync: false })
      await expect(replay(node, { from: 5 })).rejects.toThrow('the request of block 7 is not in the database')
      await world.close()
    }),
  )
})

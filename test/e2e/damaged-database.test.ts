import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHome } from '../../bin/node/config/home.ts'
import { closeStore, openStore } from '../../bin/node/open-database.ts'
import { bytesToHex } from '../../core/hex.ts'
import { readTableFile } from '../../store/rocks/table-properties.ts'
import { type Column, COLUMNS } from '../../store/store.ts'
import { callJsonRpc, createNode, type Finished, runChain, type TestNode, until } from './harness.ts'
import { inspectHome } from './inspect-home.ts'

/** So that hashes of blocks fill more than one place of a table. */
const BLOCKS = 200
/** Questions until one meets a damaged place. */
const MOST_HASHES = 200
/** More than a column of this chain has. */
const MOST_ENTRIES = 100_000

let node: TestNode

beforeAll(async () => {
  node = await createNode({ timeoutCommitMs: 20 })
  await node.start()
  await node.untilHeight(BLOCKS)
  expect(await node.stop()).toBe(0)
})
afterAll(async () => await node?.remove())

const verify = (): Promise<Finished> => runChain(['verify', '--home', node.home])

describe('a database that was changed behind the back of the node', () => {
  it('is found out by verify, which names the account', async () => {
    const store = await openStore(openHome(node.home).database)
    const [entry] = store.scan('state', { gte: Uint8Array.of(0x61), limit: 1 })
    const [key, value] = entry as readonly [Uint8Array, Uint8Array]
    const change = (bytes: Uint8Array): void => {
      const batch = store.batch()
      batch.put('state', key, bytes)
      store.write(batch, { sync: true })
    }
    change(value.with(1, (value[1] as number) ^ 1))
    await closeStore(store)
    const { status, stderr } = await verify()
    expect(status).toBe(1)
    expect(stderr).toContain(`account ${bytesToHex(key.subarray(1))}`)
    const again = await openStore(openHome(node.home).database)
    const batch = again.batch()
    batch.put('state', key, value)
    again.write(batch, { sync: true })
    await closeStore(again)
    expect((await verify()).status).toBe(0)
  })

  /** Flips bytes in every block of data of every table of a column; returns how to undo it. */
  const flipTables = (column: Column): (() => void) => {
    const { database } = openHome(node.home)
    const originals = readdirSync(database)
      .filter((name) => name.endsWith('.sst'))
      .map((name) => join(database, name))
      .filter((path) => readTableFile(path).column === column)
      .map((path) => [path, readFileSync(path)] as const)
    expect(originals.length, column).toBeGreaterThan(0)
    for (const [path, bytes] of originals) {
      const changed = Buffer.from(bytes)
      // What stands behind the entries is left: damaged, the database would not even open.
      const { entryBytes } = readTableFile(path)
      for (let at = 20; at < entryBytes; at += 50) changed[at] = (changed[at] as number) ^ 0x10
      writeFileSync(path, changed)
    }
    return () => {
      for (const [path, bytes] of originals) writeFileSync(path, bytes)
    }
  }

  const listTables = (): readonly string[] =>
    readdirSync(openHome(node.home).database)
      .filter((name) => name.endsWith('.sst'))
      .sort()

  /**
   * Everything is in the tables then, and nothing reads them to pack them once the node starts. RocksDB tells of packing
   * that has begun, not of what is to begin: only an opening that changed no table shows that there is no more.
   */
  const settleTables = async (): Promise<void> => {
    for (let before = ''; before !== listTables().join(); ) {
      before = listTables().join()
      const store = await openStore(openHome(node.home).database)
      for (const column of COLUMNS) store.scan(column, { limit: MOST_ENTRIES })
      await until('the tables are packed', () => store.property('rocksdb.num-running-compactions') === '0' || undefined)
      await closeStore(store)
    }
  }

  it('is never served: a question gets an internal error, and the node stops with what to do', async () => {
    await settleTables()
    const { head } = await inspectHome(node.home)
    // Nothing but a question by hash reads this column.
    const restore = flipTables('index')
    try {
      node.spawn()
      await node.untilHeight(1)
      // Whatever hash is asked for, the block of the table is read where it would stand, unless it is below or above all.
      let reply = await callJsonRpc(node.urls.http, 'eth_getBlockByHash', head?.hash, false)
      for (let asked = 0; reply.error === undefined && asked < MOST_HASHES; asked++) {
        const hash = `0x${randomBytes(32).toString('hex')}`
        reply = await callJsonRpc(node.urls.http, 'eth_getBlockByHash', hash, false)
      }
      expect(reply.error).toEqual({ code: -32603, message: 'internal error' })
      expect(await node.exited).toBe(1)
      expect(node.output).toContain('the database is corrupt: restore it from a snapshot')
    } finally {
      await node.stop()
      restore()
    }
    expect((await verify()).status).toBe(0)
  })

  it('halts a node whose execution or commit meets it', async () => {
    await settleTables()
    const restore = flipTables('state')
    try {
      node.spawn()
      expect(await node.exited).toBe(1)
      expect(node.output).toContain('the database is corrupt: restore it from a snapshot')
    } finally {
      await node.stop()
      restore()
    }
    const { status, stderr } = await verify()
    expect([status, stderr]).toEqual([0, ''])
  })
})

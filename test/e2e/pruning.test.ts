import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHome } from '../../bin/config/home.ts'
import { setTomlValue } from '../../bin/config/toml-lines.ts'
import type { Inspection } from '../../bin/commands/inspect.ts'
import { closeStore, openStore } from '../../bin/node/open-database.ts'
import { bytesToHex } from '../../core/hex.ts'
import { readTableFile } from '../../store/rocks/table-properties.ts'
import { type Column, COLUMNS } from '../../store/store.ts'
import { accountAt, createWallet } from './clients.ts'
import { callJsonRpc, chainCommand, createNode, type Finished, runChain, type TestNode, until } from './harness.ts'

const LIMIT_MS = 120_000
/** More blocks than come while a node of a busy machine stops. */
const KEEP_RECENT = 60
const INTERVAL = 10
const NOBODY = 65_534
/** Questions until one meets a damaged place. */
const MOST_HASHES = 200
/** More than a column of this chain has. */
const MOST_ENTRIES = 100_000

interface ShownBlock {
  readonly hash: string
  readonly stateRoot: string
  readonly timestamp: string
}

let node: TestNode

const hex = (height: number): string => `0x${height.toString(16)}`
const blockAt = (height: number): Promise<ShownBlock> =>
  node.ask<ShownBlock>('eth_getBlockByNumber', hex(height), false)
const inspect = async (): Promise<Inspection> => {
  const { status, stdout, stderr } = await runChain(['inspect', '--json', '--home', node.home])
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as Inspection
}
const setApp = (key: string, value: string): void => {
  const path = join(node.home, 'config', 'app.toml')
  writeFileSync(path, setTomlValue(readFileSync(path, 'utf8'), key, value))
}
/** The node has ended by itself. */
const ended = (): Promise<number | string> => node.exited
const run = (command: string, ...args: readonly string[]): Promise<Finished> =>
  runChain([command, '--home', node.home, ...args])
const runAsNobody = (command: string): Promise<Finished> =>
  new Promise((resolve) => {
    execFile(chainCommand, [command, '--home', node.home], { uid: NOBODY }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

beforeAll(async () => {
  node = await createNode({
    timeoutCommitMs: 20,
    settings: {
      pruning: 'custom',
      'pruning-keep-recent': String(KEEP_RECENT),
      'pruning-interval': String(INTERVAL),
    },
  })
  await node.start()
}, LIMIT_MS)
afterAll(async () => await node?.remove())

describe('a node with --pruning custom', () => {
  const somebody = '0x00000000000000000000000000000000000e2e07'
  const questions: readonly (readonly [string, (block: string) => readonly unknown[]])[] = [
    ['eth_getBalance', (block) => [somebody, block]],
    ['eth_getTransactionCount', (block) => [somebody, block]],
    ['eth_getCode', (block) => [somebody, block]],
    ['eth_getStorageAt', (block) => [somebody, '0x0', block]],
    ['eth_call', (block) => [{ to: somebody, data: '0x' }, block]],
    ['eth_estimateGas', (block) => [{ to: somebody }, block]],
    ['eth_getProof', (block) => [somebody, ['0x0'], block]],
  ]

  it(
    'answers at recent and at sparse heights, and refuses the others with the words and the code of geth',
    async () => {
      const wallet = createWallet(node, accountAt(0))
      for (let value = 1n; value <= 3n; value++) {
        const at = await node.height()
        await wallet.sendTransaction({ to: somebody, value })
        await node.untilHeight(at + 12)
      }
      await node.untilHeight(KEEP_RECENT + 4 * INTERVAL)
      const { stateRoot } = await blockAt(INTERVAL + 1)
      const message = `historical state ${stateRoot.slice(2)} is not available`
      for (const [method, parameters] of questions) {
        const at = (height: number) => callJsonRpc(node.urls.http, method, ...parameters(hex(height)))
        expect(await at(INTERVAL + 1), method).toMatchObject({ error: { code: -32000, message } })
        for (const kept of [INTERVAL, 2 * INTERVAL, (await node.height()) - 5]) {
          expect(await at(kept), `${method} at ${kept}`).toHaveProperty('result')
        }
        expect(await at(1_000_000), method).toMatchObject({ error: { code: -32000, message: 'header not found' } })
      }
      const head = await node.height()
      const balances = []
      for (let height = INTERVAL; height < head; height += INTERVAL) {
        balances.push(Number(await node.ask<string>('eth_getBalance', somebody, hex(height))))
      }
      expect(balances).toEqual([...balances].sort((a, b) => a - b))
      expect(balances.at(-1)).toBe(6)
      expect(new Set(balances).size).toBeGreaterThan(1)
    },
    LIMIT_MS,
  )

  it('refuses a pruned height of the native interface in the words of the SDK', async () => {
    const response = await fetch(`${node.urls.rest}/cosmos/bank/v1beta1/supply`, {
      headers: { 'x-cosmos-block-height': String(INTERVAL + 1) },
    })
    const body = (await response.json()) as { readonly message: string }
    expect(response.status).toBe(404)
    expect(body.message).toMatch(
      /^failed to load state at height 11; .*has either been pruned.* \(latest height: \d+\)/,
    )
  })

  it('does not let a second process have its database', async () => {
    for (const command of ['inspect', 'verify', 'rollback']) {
      const { status, stderr } = await run(command)
      expect([command, status]).toEqual([command, 1])
      expect(stderr).toContain('is open in another process: is "chain start" running with this home?')
    }
  })
})

describe('a stopped node', () => {
  beforeAll(async () => {
    expect(await node.stop()).toBe(0)
  }, LIMIT_MS)

  it('is inspected: head, roots, kept heights, sizes', async () => {
    const seen = await inspect()
    const height = seen.head?.height ?? 0
    expect(seen).toMatchObject({
      chainId: 'localnat-1',
      evmChainId: 2517,
      kept: { from: height - KEEP_RECENT + 1, interval: INTERVAL, sparseFrom: 0 },
      base: 0,
    })
    expect(seen.columns['state']?.approximateKeys).toBeGreaterThan(10)
    expect(seen.columns['blocks']?.bytes).toBeGreaterThan(1_000)
    expect(seen.totalBytes).toBe(Object.values(seen.columns).reduce((sum, { bytes }) => sum + bytes, 0))
    const { stdout } = await run('inspect')
    expect(stdout).toContain(`state root     ${seen.head?.stateRoot}`)
    expect(stdout).toContain(`kept state     from ${seen.kept.from}, and every 10th from 0`)
  })

  it(
    'is verified: state and blocks are right',
    async () => {
      const { status, stdout, stderr } = await run('verify')
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/state of height \d+: \d+ accounts/)
      expect(stdout).toMatch(/blocks 0 to \d+: roots, blooms, receipts, indexes and hashes are right/)
      const beyond = await run('verify', '--from', '1', '--to', '1000000')
      expect([beyond.status, beyond.stderr]).toEqual([2, expect.stringContaining('cannot be checked')])
    },
    LIMIT_MS,
  )

  it('is not opened by somebody who may not', async () => {
    if (process.getuid?.() !== 0) return console.log('skipped: only root can become another user')
    chmodSync(node.folder, 0o755)
    chmodSync(node.home, 0o700)
    try {
      for (const command of ['inspect', 'verify', 'rollback', 'start']) {
        const { status, stderr } = await runAsNobody(command)
        expect([command, status, stderr]).toEqual([command, 1, expect.stringMatching(/no permission to read/)])
      }
    } finally {
      chmodSync(node.home, 0o755)
    }
  })

  it('is not rolled back below what is kept, nor by more than a height without --hard', async () => {
    const before = await inspect()
    const height = before.head?.height ?? 0
    const low = await run('rollback', '--hard', '--height', String(height - KEEP_RECENT))
    expect([low.status, low.stderr]).toEqual([
      1,
      expect.stringContaining(`the lowest height to roll back to is ${height - KEEP_RECENT + 1}`),
    ])
    const soft = await run('rollback', '--height', String(height - 2))
    expect([soft.status, soft.stderr]).toEqual([1, expect.stringContaining('needs --hard')])
    const high = await run('rollback', '--height', String(height))
    expect([high.status, high.stderr]).toEqual([1, expect.stringContaining('is not below the head')])
    expect((await inspect()).head).toEqual(before.head)
  })
})

describe('chain rollback', () => {
  it(
    'goes back one height, from where the same block is executed to the same hash again',
    async () => {
      const before = (await inspect()).head
      const { status, stdout, stderr } = await run('rollback')
      expect([status, stderr]).toEqual([0, ''])
      const height = before?.height ?? 0
      expect(stdout).toContain(`application: height ${height - 1}`)
      expect((await inspect()).head?.height).toBe(height - 1)
      node.spawn()
      await node.untilHeight(height + 2)
      expect((await blockAt(height)).hash).toBe(before?.hash)
      expect(await node.stop()).toBe(0)
      expect((await run('verify')).status).toBe(0)
    },
    LIMIT_MS,
  )

  it(
    'goes back several with --hard, from where a lone validator whose memory was reset goes on',
    async () => {
      // The chain makes blocks before it answers, and while it stops: the target is one of the last, not of the first.
      node.spawn()
      const target = await node.untilHeight(1)
      const { hash } = await blockAt(target)
      await node.untilHeight(target + 3)
      expect(await node.stop()).toBe(0)
      const { height = 0 } = (await inspect()).head ?? {}
      const { status, stdout, stderr } = await run('rollback', '--hard', '--height', String(target))
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`CometBFT: rolled back to height ${target}, its newest block is ${target}`)
      expect(stdout).toContain('a validator signs again above height')
      const rolledBack = await inspect()
      expect(rolledBack.head).toMatchObject({ height: target, hash })
      expect((await run('verify')).status).toBe(0)
      writeFileSync(join(node.home, 'data', 'priv_validator_state.json'), '{"height":"0","round":0,"step":0}')
      node.spawn()
      await node.untilHeight(height + 3)
      expect((await blockAt(target)).hash).toBe(hash)
      expect(await node.stop()).toBe(0)
      expect((await run('verify')).status).toBe(0)
    },
    LIMIT_MS,
  )

  it(
    'must be finished where it was cut short',
    async () => {
      const height = (await inspect()).head?.height ?? 0
      const store = await openStore(openHome(node.home).database)
      const { markRollback } = await import('../../store/rollback.ts')
      markRollback(store, height - 1)
      await closeStore(store)
      node.spawn()
      expect(await ended()).toBe(1)
      expect(node.output).toContain(`a rollback was cut short: run "chain rollback --height ${height - 1}" again`)
      expect((await inspect()).rollbackTarget).toBe(height - 1)
      expect((await run('verify')).stderr).toContain('a rollback was cut short')
      expect((await run('rollback')).status).toBe(0)
      expect((await inspect()).head?.height).toBe(height - 1)
      node.spawn()
      await node.untilHeight(height + 1)
      expect(await node.stop()).toBe(0)
    },
    LIMIT_MS,
  )
})

describe('halting', () => {
  afterAll(() => {
    setApp('halt-height', '0')
    setApp('halt-time', '0')
  })

  it(
    'stops exactly at halt-height, however fast blocks come, with status 0',
    async () => {
      const height = ((await inspect()).head?.height ?? 0) + 9
      setApp('halt-height', String(height))
      node.spawn()
      expect(await ended()).toBe(0)
      expect(node.output).toContain(`halt-height ${height}`)
      expect((await inspect()).head?.height).toBe(height)
      // Nothing is done at a height that is reached already.
      node.spawn()
      expect(await ended()).toBe(0)
      expect((await inspect()).head?.height).toBe(height)
      setApp('halt-height', '0')
      node.spawn()
      await node.untilHeight(height + 2)
      expect(await node.stop()).toBe(0)
    },
    LIMIT_MS,
  )

  it(
    'stops after the first block of halt-time or later',
    async () => {
      const before = Number((await inspect()).head?.timeNs ?? 0) / 1e9
      const time = Math.ceil(Math.max(before, Date.now() / 1000)) + 4
      setApp('halt-time', String(time))
      node.spawn()
      expect(await ended()).toBe(0)
      expect(node.output).toContain(`halt-time ${time}`)
      const head = (await inspect()).head
      expect(Number(head?.timeNs) / 1e9).toBeGreaterThanOrEqual(time)
      setApp('halt-time', '0')
      node.spawn()
      await node.untilHeight((head?.height ?? 0) + 1)
      const previous = await blockAt((head?.height ?? 0) - 1)
      expect(Number(previous.timestamp)).toBeLessThan(time)
      expect(await node.stop()).toBe(0)
    },
    LIMIT_MS,
  )
})

describe('a database that was changed behind the back of the node', () => {
  it(
    'is found out by verify, which names the account',
    async () => {
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
      const { status, stderr } = await run('verify')
      expect(status).toBe(1)
      expect(stderr).toContain(`account ${bytesToHex(key.subarray(1))}`)
      const again = await openStore(openHome(node.home).database)
      const batch = again.batch()
      batch.put('state', key, value)
      again.write(batch, { sync: true })
      await closeStore(again)
      expect((await run('verify')).status).toBe(0)
    },
    LIMIT_MS,
  )

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

  it(
    'is never served: a question gets an internal error, and the node stops with what to do',
    async () => {
      await settleTables()
      const { head } = await inspect()
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
        expect(await ended()).toBe(1)
        expect(node.output).toContain('the database is corrupt: restore it from a snapshot')
      } finally {
        await node.stop()
        restore()
      }
      expect((await run('verify')).status).toBe(0)
    },
    LIMIT_MS,
  )

  it(
    'halts a node whose execution or commit meets it',
    async () => {
      await settleTables()
      const restore = flipTables('state')
      try {
        node.spawn()
        expect(await ended()).toBe(1)
        expect(node.output).toContain('the database is corrupt: restore it from a snapshot')
      } finally {
        await node.stop()
        restore()
      }
      const { status, stderr } = await run('verify')
      expect([status, stderr]).toEqual([0, ''])
    },
    LIMIT_MS,
  )
})

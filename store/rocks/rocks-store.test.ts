import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import type { KeyValueStore } from '../store.ts'
import { withDirectory } from '../testing/backends.ts'
import { openRocksStore, type RocksStore } from './rocks-store.ts'

const CACHE_BYTES = 8 * 1024 * 1024
const HERE = dirname(fileURLToPath(import.meta.url))
const STORE_MODULE = JSON.stringify(join(HERE, 'rocks-store.ts'))

const open = (path: string): Promise<RocksStore> => openRocksStore({ path, cacheBytes: CACHE_BYTES })

const closeStore = async (store: RocksStore): Promise<void> => {
  store.close()
  await store.closed
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
    return 'none'
  } catch (error) {
    return error instanceof CodedError ? [error.codespace, error.code] : error
  }
}

const number = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 255)

const putNumbers = (store: KeyValueStore, from: number, to: number, sync: boolean): void => {
  const batch = store.batch()
  for (let i = from; i < to; i++) batch.put('state', number(i), number(i))
  store.write(batch, { sync })
}

/** Opens the database in another process, as this or another user, and returns what it printed. */
const openElsewhere = async (path: string, uid?: number): Promise<string> => {
  const script = `
    const { openRocksStore } = await import(${STORE_MODULE})
    try {
      const store = await openRocksStore({ path: ${JSON.stringify(path)}, cacheBytes: ${CACHE_BYTES} })
      store.close()
      await store.closed
      console.log('open')
    } catch (error) {
      console.log(error.codespace + '/' + error.code + ' ' + error.message)
    }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    ...(uid === undefined ? {} : { uid }),
    cwd: HERE,
  })
  return stdout.trim()
}

describe('openRocksStore', () => {
  it('makes a missing directory with its parents, and finds there what was written before', async () => {
    await withDirectory(async (path) => {
      const home = join(path, 'a', 'b', 'db')
      const first = await open(home)
      putNumbers(first, 0, 1000, true)
      await closeStore(first)
      const second = await open(home)
      expect(second.get('state', number(777))).toEqual(number(777))
      expect(second.scan('state', { limit: 5000 })).toHaveLength(1000)
      await closeStore(second)
    })
  })

  it('keeps what was written when the process is killed without closing', async () => {
    await withDirectory(async (path) => {
      const home = join(path, 'db')
      const script = `
        const { openRocksStore } = await import(${STORE_MODULE})
        const store = await openRocksStore({ path: ${JSON.stringify(home)}, cacheBytes: ${CACHE_BYTES} })
        const batch = store.batch()
        for (let i = 0; i < 200; i++) batch.put('blocks', Uint8Array.of(i), Uint8Array.of(i))
        batch.put('meta', Uint8Array.of(1), Uint8Array.of(200))
        store.write(batch, { sync: false })
        process.kill(process.pid, 'SIGKILL')`
      await expect(
        promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: HERE }),
      ).rejects.toMatchObject({ signal: 'SIGKILL' })
      const store = await open(home)
      expect(store.get('meta', Uint8Array.of(1))).toEqual(Uint8Array.of(200))
      expect(store.scan('blocks', { limit: 1000 })).toHaveLength(200)
      await closeStore(store)
    })
  })

  it('trusts nothing after a damaged block: one error is told, and nothing is read or written any more', async () => {
    await withDirectory(async (path) => {
      for (let run = 0; run < 2; run++) {
        const store = await open(path)
        putNumbers(store, run * 5_000, (run + 1) * 5_000, true)
        await closeStore(store)
      }
      // Opening it again writes the last numbers to a table.
      await closeStore(await open(path))
      for (const name of readdirSync(path).filter((file) => file.endsWith('.sst'))) {
        const bytes = readFileSync(join(path, name))
        for (let at = 100; at < bytes.length / 2; at += 500) bytes[at] = (bytes[at] as number) ^ 1
        writeFileSync(join(path, name), bytes)
      }
      const faults: CodedError[] = []
      const store = await openRocksStore({ path, cacheBytes: CACHE_BYTES, onFault: (error) => faults.push(error) })
      const [fault] = [() => store.scan('state', { limit: 10_000 }), () => store.get('meta', number(1))].map((read) => {
        expect(read).toThrow('the database is corrupt: restore it from a snapshot')
        return faults[0]
      })
      expect(faults).toEqual([fault])
      expect([fault?.codespace, fault?.code]).toEqual(['store', 4])
      expect(() => putNumbers(store, 0, 1, true)).toThrow('restore it from a snapshot')
      await closeStore(store)
    })
  })

  it('closes once, also when nothing but the closing refers to it', async () => {
    await withDirectory(async (path) => {
      const script = `
        const { openRocksStore } = await import(${STORE_MODULE})
        const openAndClose = async () => {
          const store = await openRocksStore({ path: ${JSON.stringify(path)}, cacheBytes: ${CACHE_BYTES} })
          const batch = store.batch()
          for (let i = 0; i < 500; i++) batch.put('state', Uint8Array.of(i >> 8, i), new Uint8Array(300))
          store.write(batch, { sync: false })
          store.cursor('state').seek(Uint8Array.of(1))
          store.close()
          return { closed: store.closed }
        }
        for (let round = 0; round < 60; round++) {
          const { closed } = await openAndClose()
          for (let i = 0; i < 3; i++) {
            gc()
            await new Promise((resolve) => setImmediate(resolve))
          }
          await closed
        }
        console.log('done')`
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--expose-gc', '--input-type=module', '-e', script],
        { cwd: HERE },
      )
      expect(stdout.trim()).toBe('done')
    })
  })

  it('refuses a second process, and a second opening, with store/2', async () => {
    await withDirectory(async (path) => {
      const store = await open(path)
      expect(await openElsewhere(path)).toMatch(/^store\/2 another process has the database open/)
      expect(await codeOf(open(path))).toEqual(['store', 2])
      await closeStore(store)
      expect(await openElsewhere(path)).toBe('open')
    })
  })

  it('refuses a directory without permission with store/3', async () => {
    await withDirectory(async (path) => {
      // The superuser is refused nothing: there, another user tries.
      const nobody = process.getuid?.() === 0 ? 65_534 : undefined
      chmodSync(path, 0o755)
      const locked = join(path, 'locked')
      mkdirSync(locked, { mode: 0o500 })
      expect(await openElsewhere(join(locked, 'db'), nobody)).toMatch(/^store\/3 no permission/)
      const db = join(path, 'db')
      await closeStore(await open(db))
      chmodSync(db, 0o500)
      expect(await openElsewhere(db, nobody)).toMatch(/^store\/3 no permission/)
      chmodSync(db, 0o700)
    })
  })

  it('refuses a file in place of the directory with store/1', async () => {
    await withDirectory(async (path) => {
      writeFileSync(join(path, 'db'), 'text')
      expect(await codeOf(open(join(path, 'db')))).toEqual(['store', 1])
    })
  })

  for (const damage of ['manifest cut', 'CURRENT overwritten', 'table file removed'] as const) {
    it(`refuses a corrupt database with store/4: ${damage}`, async () => {
      await withDirectory(async (path) => {
        const store = await open(path)
        putNumbers(store, 0, 1000, true)
        await closeStore(store)
        // The second opening replays the log into table files.
        await closeStore(await open(path))
        const names = readdirSync(path)
        const manifest = names.find((name) => name.startsWith('MANIFEST'))
        const table = names.find((name) => name.endsWith('.sst'))
        if (damage === 'manifest cut') truncateSync(join(path, manifest ?? 'none'), 20)
        else if (damage === 'CURRENT overwritten') writeFileSync(join(path, 'CURRENT'), 'nothing\n')
        else rmSync(join(path, table ?? 'none'))
        expect(await codeOf(open(path))).toEqual(['store', 4])
      })
    })
  }

  it('has a column of every kind with its caches, and tells properties', async () => {
    await withDirectory(async (path) => {
      const store = await open(path)
      expect(store.property('rocksdb.stats')).toContain('Compaction Stats')
      expect(store.property('rocksdb.no-such-property')).toBe('')
      await closeStore(store)
      await closeStore(store)
    })
  })
})

const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(${STORE_MODULE}).then(async ({ attachRocksStore }) => {
    const store = await attachRocksStore(workerData.handle)
    const read = (i) => store.get('state', Uint8Array.of(i >> 8, i & 255))?.join(' ')
    let cursor = store.cursor('state')
    parentPort.on('message', (message) => {
      if (message === 'close') {
        cursor.close()
        store.close()
        parentPort.close()
        return
      }
      const pinned = []
      for (let entry = cursor.seek(Uint8Array.of(0)); entry !== undefined; entry = cursor.next()) pinned.push(entry)
      parentPort.postMessage({ value: read(message), pinned: pinned.length, sequence: store.sequence() })
    })
    parentPort.postMessage('ready')
  })`

describe('attachRocksStore', () => {
  it('shares an open database with a worker thread: new values at once, a cursor pinned', async () => {
    await withDirectory(async (path) => {
      const store = await open(path)
      putNumbers(store, 0, 100, false)
      const worker = new Worker(WORKER, { eval: true, workerData: { handle: store.handle } })
      const reply = (): Promise<unknown> =>
        new Promise((resolve, reject) => {
          worker.once('message', resolve)
          worker.once('error', reject)
        })
      expect(await reply()).toBe('ready')
      worker.postMessage(42)
      expect(await reply()).toEqual({ value: '0 42', pinned: 100, sequence: store.sequence() })
      putNumbers(store, 100, 300, false)
      worker.postMessage(299)
      expect(await reply()).toEqual({ value: '1 43', pinned: 100, sequence: store.sequence() })
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage('close')
      expect(await ended).toBe(0)
      // The owner goes on after a worker has left.
      putNumbers(store, 300, 301, true)
      expect(store.get('state', number(300))).toEqual(number(300))
      await closeStore(store)
    })
  })

  it('survives a worker that is terminated with its cursor open', async () => {
    await withDirectory(async (path) => {
      const store = await open(path)
      putNumbers(store, 0, 100, false)
      for (let i = 0; i < 3; i++) {
        const worker = new Worker(WORKER, { eval: true, workerData: { handle: store.handle } })
        await new Promise((resolve, reject) => {
          worker.once('message', resolve)
          worker.once('error', reject)
        })
        await worker.terminate()
        expect(store.get('state', number(5))).toEqual(number(5))
      }
      await closeStore(store)
      const again = await open(path)
      expect(again.scan('state', { limit: 1000 })).toHaveLength(100)
      await closeStore(again)
    })
  })
})

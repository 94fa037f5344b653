/** For tests: both databases, the one on disk in a directory of its own that is removed afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemoryStore } from '../memory/memory-store.ts'
import { openRocksStore } from '../rocks/rocks-store.ts'
import type { KeyValueStore } from '../store.ts'

export interface Backend {
  readonly name: string
  /** Runs `work` on a new, empty store. */
  withStore(work: (store: KeyValueStore) => void | Promise<void>): Promise<void>
}

export const withDirectory = async (work: (path: string) => void | Promise<void>): Promise<void> => {
  const path = mkdtempSync(join(tmpdir(), 'store-'))
  try {
    await work(path)
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

export const BACKENDS: readonly Backend[] = [
  {
    name: 'memory',
    withStore: async (work) => {
      const store = openMemoryStore()
      await work(store)
      store.close()
    },
  },
  {
    name: 'rocks',
    withStore: (work) =>
      withDirectory(async (path) => {
        const store = await openRocksStore({ path: join(path, 'db'), cacheBytes: 8 * 1024 * 1024 })
        try {
          await work(store)
        } finally {
          store.close()
          await store.closed
        }
      }),
  },
]

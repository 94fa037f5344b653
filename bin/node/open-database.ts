/** Opens the database of a home for one process alone, with texts that say what is in the way. */
import { constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../core/errors.ts'
import { claimFormat } from '../../store/format.ts'
import { STORE_ERRORS } from '../../store/rocks/errors.ts'
import { openRocksStore, type RocksStore } from '../../store/rocks/rocks-store.ts'
import { readRollbackTarget } from '../../store/rollback.ts'
import { type Home, requirePermission } from './config/home.ts'
import { cliError } from '../errors.ts'

const READ_WRITE = constants.R_OK | constants.W_OK | constants.X_OK
/** RocksDB's block cache, where a command does not say another size. */
const CACHE_BYTES = 256 * 1024 * 1024

export interface OpenDatabaseOptions {
  /** RocksDB's block cache. */
  readonly cacheBytes?: number
  /** Told when the database failed while it is open. */
  readonly onFault?: (error: Error) => void
}

const openRocks = async (path: string, options: OpenDatabaseOptions): Promise<RocksStore> => {
  try {
    return await openRocksStore({ path, cacheBytes: CACHE_BYTES, ...options })
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'store' && error.code === STORE_ERRORS.locked) {
      throw cliError('homeInUse', `${path} is open in another process: is "chain start" running with this home?`)
    }
    throw error
  }
}

/** Closes it, and settles when another process could open it. */
export const closeStore = async (store: RocksStore): Promise<void> => {
  store.close()
  await store.closed
}

/**
 * A new database gets the mark of its format. Throws cli/11 while another process has it open, store/6 for one that
 * another version wrote, and store/1, store/3, store/4.
 */
export const openStore = async (path: string, options: OpenDatabaseOptions = {}): Promise<RocksStore> => {
  const store = await openRocks(path, options)
  try {
    claimFormat(store, path)
    return store
  } catch (error) {
    await closeStore(store)
    throw error
  }
}

/** Does what {@link openStore} does; throws cli/14 when a rollback was cut short there. */
export const openDatabase = async (path: string, options?: OpenDatabaseOptions): Promise<RocksStore> => {
  const store = await openStore(path, options)
  const target = readRollbackTarget(store)
  if (target === undefined) return store
  await closeStore(store)
  throw cliError(
    'rollback',
    `a rollback was cut short: run "chain rollback --height ${target}" again, with the flags that it had`,
  )
}

/**
 * Runs `work` on the database of a stopped home. Throws cli/2 where there is none, cli/11 while a node has it open,
 * cli/16 where this user may not read and write it, and what `work` throws.
 */
export const withDatabase = async <T>(
  { database, root }: Home,
  work: (store: RocksStore) => T | Promise<T>,
  open: (path: string) => Promise<RocksStore> = openDatabase,
): Promise<T> => {
  requirePermission(root, READ_WRITE)
  // RocksDB would make an empty one.
  if (!existsSync(join(database, 'CURRENT'))) {
    throw cliError('homeMissing', `${database} holds no database: the node of this home has not run yet`)
  }
  requirePermission(database, READ_WRITE)
  const store = await open(database)
  try {
    return await work(store)
  } finally {
    await closeStore(store)
  }
}

/** Which layout a database has: software reads its own alone, and refuses every other before it reads anything else. */
import { bytesToUtf8, utf8ToBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { FORMAT_KEY } from './keys.ts'
import { STORE_ERRORS } from './rocks/errors.ts'
import type { KeyValueStore } from './store.ts'

/** Counts up with every change of what a column holds: keys.ts, and the records of app/records and app/index. */
export const STORE_FORMAT = 5

const heldFormat = (store: KeyValueStore): string | undefined => {
  const value = store.get('meta', FORMAT_KEY)
  return value === undefined ? undefined : bytesToUtf8(value)
}

const differs = (path: string, held: string): CodedError =>
  new CodedError(
    'store',
    STORE_ERRORS.format,
    `${path} has ${held}, and this version of the software reads format ${STORE_FORMAT}: run the version that wrote ` +
      'it, or sync anew into a new home',
    { path },
  )

/**
 * Is called by whoever opens a database, before anything else is read: marks a new one, in which nothing of a chain stands yet.
 * Throws store/6 for one of another format, and for one with a chain, or a part of it, from before there was a mark.
 */
export const claimFormat = (store: KeyValueStore, path: string): void => {
  const held = heldFormat(store)
  if (held === String(STORE_FORMAT)) return
  if (held !== undefined) throw differs(path, `format ${held.slice(0, 20)}`)
  if (store.scan('meta', { limit: 1 }).length > 0) throw differs(path, 'no format (formats were not numbered yet)')
  const batch = store.batch()
  batch.put('meta', FORMAT_KEY, utf8ToBytes(String(STORE_FORMAT)))
  store.write(batch, { sync: true })
}

import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { emptyStore } from './empty-store.ts'
import { claimFormat, STORE_FORMAT } from './format.ts'
import { FORMAT_KEY } from './keys.ts'
import { STORE_ERRORS } from './rocks/errors.ts'
import type { KeyValueStore } from './store.ts'
import { BACKENDS } from './testing/backends.ts'

const put = (store: KeyValueStore, key: string, value: string): void => {
  const batch = store.batch()
  batch.put('meta', utf8ToBytes(key), utf8ToBytes(value))
  store.write(batch, { sync: false })
}

const refusal = (store: KeyValueStore): CodedError => {
  try {
    claimFormat(store, '/data/db')
  } catch (error) {
    if (error instanceof CodedError) return error
    throw error
  }
  throw new CodedError('test', 1, 'nothing was refused')
}

describe.each(BACKENDS)('the format of a database ($name)', ({ withStore }) => {
  it('is marked when it is made, and read ever after, also when it was emptied', async () => {
    await withStore((store) => {
      claimFormat(store, '/data/db')
      const mark = utf8ToBytes(String(STORE_FORMAT))
      expect(store.get('meta', FORMAT_KEY)).toEqual(mark)
      put(store, 'chain', '{}')
      claimFormat(store, '/data/db')
      emptyStore(store)
      expect(store.scan('meta', { limit: 2 })).toEqual([[FORMAT_KEY, mark]])
      claimFormat(store, '/data/db')
    })
  })

  it('is refused when it is another, with both named and what to do', async () => {
    await withStore((store) => {
      put(store, 'format', '7')
      const { codespace, code, message } = refusal(store)
      expect([codespace, code]).toEqual(['store', STORE_ERRORS.format])
      expect(message).toBe(
        `/data/db has format 7, and this version of the software reads format ${STORE_FORMAT}: run the version that ` +
          'wrote it, or sync anew into a new home',
      )
    })
  })

  it.each(['chain', 'height', 'restore'])('is refused when there is none beside "%s", and not marked', async (key) => {
    await withStore((store) => {
      put(store, key, 'x')
      expect(refusal(store).message).toContain('/data/db has no format (formats were not numbered yet), and')
      expect(store.get('meta', FORMAT_KEY)).toBeUndefined()
    })
  })
})

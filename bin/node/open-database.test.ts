import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../core/bytes.ts'
import { STORE_FORMAT } from '../../store/format.ts'
import { FORMAT_KEY } from '../../store/keys.ts'
import { STORE_ERRORS } from '../../store/rocks/errors.ts'
import { openRocksStore } from '../../store/rocks/rocks-store.ts'
import { closeStore, openDatabase } from './open-database.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-database-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the database of a home', () => {
  it('is marked with its format when it is made, and opens again', async () => {
    const path = join(folder, 'db')
    await closeStore(await openDatabase(path))
    const store = await openDatabase(path)
    expect(store.get('meta', FORMAT_KEY)).toEqual(utf8ToBytes(String(STORE_FORMAT)))
    await closeStore(store)
  })

  it('is refused with store/6 when a chain without a format is in it, and closed again', async () => {
    const path = join(folder, 'db')
    const old = await openRocksStore({ path, cacheBytes: 8 * 1024 * 1024 })
    const batch = old.batch()
    batch.put('meta', utf8ToBytes('chain'), utf8ToBytes('{}'))
    old.write(batch, { sync: true })
    await closeStore(old)
    // The second time would be cli/11 were it still open.
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openDatabase(path)).rejects.toMatchObject({ codespace: 'store', code: STORE_ERRORS.format })
    }
  })
})

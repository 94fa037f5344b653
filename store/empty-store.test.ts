import { describe, expect, it } from 'vitest'
import { uint64ToBytes } from '../core/bytes.ts'
import { emptyStore } from './empty-store.ts'
import { COLUMNS } from './store.ts'
import { BACKENDS } from './testing/backends.ts'

describe.each(BACKENDS)('an emptied database ($name)', ({ withStore }) => {
  it('holds nothing in any column, however many entries there were', async () => {
    await withStore((store) => {
      for (const [index, column] of COLUMNS.entries()) {
        const batch = store.batch()
        for (let at = 0; at < 1 + index * 4_000; at++) batch.put(column, uint64ToBytes(at), new Uint8Array(3))
        store.write(batch, { sync: false })
      }
      emptyStore(store)
      for (const column of COLUMNS) expect(store.scan(column, { limit: 1 })).toEqual([])
      emptyStore(store)
    })
  })
})

/** A cursor of the feed in a file of its own: one process a file. */
import { randomUUID } from 'node:crypto'
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import type { Hex } from '../../core/hex.ts'
import { feedError } from './errors.ts'
import type { FeedCursor, FeedPosition } from './follow-blocks.ts'

const positionSchema = z.strictObject({
  height: z.number().int().nonnegative(),
  hash: z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)),
})

const parse = (path: string, text: string): FeedPosition => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const { success, data } = positionSchema.safeParse(value)
  if (!success) throw feedError('cursor', `${path} is no cursor of a feed: remove it to begin anew`)
  return data
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const synced = (path: string, flags: string, use: (file: number) => void): void => {
  const file = openSync(path, flags, 0o600)
  try {
    use(file)
  } finally {
    closeSync(file)
  }
}

/** `load` throws feed/3 for a file that is none; both throw what the system says. */
export const openFileCursor = (path: string): FeedCursor => ({
  load: () => {
    const text = read(path)
    return text === undefined ? undefined : parse(path, text)
  },
  save: ({ height, hash }) => {
    const beside = `${path}.${randomUUID()}.new`
    synced(beside, 'wx', (file) => {
      writeFileSync(file, `${JSON.stringify({ height, hash })}\n`)
      fdatasyncSync(file)
    })
    renameSync(beside, path)
    // Without it a power failure may bring back an older cursor, and so blocks that were long done.
    synced(dirname(path), 'r', fsyncSync)
  },
})

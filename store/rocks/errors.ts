/** What can be wrong with a database, in codes. */
import { CodedError } from '../../core/errors.ts'

/** Codes of codespace `store`. */
export const STORE_ERRORS = {
  /** Opening, reading or writing failed for another reason: a later format, ... */
  failed: 1,
  /** Another process (or this one) has the database open. */
  locked: 2,
  permission: 3,
  corrupt: 4,
  /** No space left on the device. */
  full: 5,
  /** Written by another version of this software, in another layout: ../format.ts. */
  format: 6,
} as const

const PERMISSION_CODES: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS'])

type Kind = Exclude<keyof typeof STORE_ERRORS, 'format'>

const kindOf = (code: unknown, message: string): Kind => {
  if (code === 'LEVEL_LOCKED') return 'locked'
  if (code === 'ENOSPC' || /No space left on device/.test(message)) return 'full'
  if (PERMISSION_CODES.has(code) || /Permission denied|Read-only file system/.test(message)) return 'permission'
  return code === 'LEVEL_CORRUPTION' ? 'corrupt' : 'failed'
}

const TEXTS: Readonly<Record<Kind, string>> = {
  failed: 'the database failed',
  locked: 'another process has the database open: end it first',
  permission: 'no permission to read and write the database',
  corrupt: 'the database is corrupt: restore it from a snapshot',
  full: 'the disk is full, nothing is lost: free some space, then start again',
}

/** Codes an error of the file system or the binding. */
export const storeError = (error: unknown, path: string): CodedError => {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const kind = kindOf(code, message)
  return new CodedError('store', STORE_ERRORS[kind], `${TEXTS[kind]} (${path}: ${message})`, { path })
}

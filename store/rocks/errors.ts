/** What can be wrong with a database, in codes. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

/** Failures of the node itself: `isFault` of core/errors.ts keeps them from clients. */
export const STORE_ERROR_TABLE = errorTable(
  'store',
  'The database. Seen in the log and on the command line, with path and reason in brackets; clients are told of an ' +
    'internal error only.',
  {
    failed: {
      code: 1,
      text: 'the database failed',
      cause: 'Opening, reading or writing failed for a reason that is none of the others.',
      action: 'Read the reason in brackets, and look at the disk.',
    },
    locked: {
      code: 2,
      text: 'another process has the database open: end it first',
      cause: 'A node runs with this home, or a command works on it.',
      action: 'Stop the node, or wait for the command.',
    },
    permission: {
      code: 3,
      text: 'no permission to read and write the database',
      cause: 'The files belong to another user, or lie on a read-only file system.',
      action: 'Run as the owner of the home, or correct the owner of the files.',
    },
    corrupt: {
      code: 4,
      text: 'the database is corrupt: restore it from a snapshot',
      cause: 'The disk, the memory or another program changed the files.',
      action: 'Look at the disk, then restore from a snapshot.',
    },
    full: {
      code: 5,
      text: 'the disk is full, nothing is lost: free some space, then start again',
      cause: 'No space is left on the device.',
      action: 'Free some space, then start again.',
    },
    format: {
      code: 6,
      text: '... has ..., and this version of the software reads format ...: ...',
      cause: 'Another version of this software wrote the database, in another layout.',
      action: 'Run the version that wrote it, or sync anew into a new home.',
    },
  },
)

export const STORE_ERRORS = STORE_ERROR_TABLE.codes

const PERMISSION_CODES: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS'])

type Kind = Exclude<keyof typeof STORE_ERRORS, 'format'>

const kindOf = (code: unknown, message: string): Kind => {
  if (code === 'LEVEL_LOCKED') return 'locked'
  if (code === 'ENOSPC' || /No space left on device/.test(message)) return 'full'
  if (PERMISSION_CODES.has(code) || /Permission denied|Read-only file system/.test(message)) return 'permission'
  return code === 'LEVEL_CORRUPTION' ? 'corrupt' : 'failed'
}

/** Codes an error of the file system or the binding. */
export const storeError = (error: unknown, path: string): CodedError => {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const kind = kindOf(code, message)
  return new CodedError('store', STORE_ERRORS[kind], `${STORE_ERROR_TABLE.entries[kind].text} (${path}: ${message})`, {
    path,
  })
}

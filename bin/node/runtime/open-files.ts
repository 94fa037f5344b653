/** RocksDB keeps each of its table files open, of 1 to 6 MiB each: a large database needs a high limit of open files. */
import { readdirSync, readFileSync } from 'node:fs'
import type { NodeLog } from './log.ts'

/** A warning comes above this share of the limit: the database has room to grow until somebody reads the warning. */
const WARN_ABOVE = 0.5

/** `limits` is the text of /proc/self/limits. Undefined where there is none, or no such line. */
export const parseOpenFileLimit = (limits: string): number | undefined => {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}

/** Node raises the limit to the hard one when it starts. */
const readOpenFileLimit = (): number | undefined => {
  try {
    return parseOpenFileLimit(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    // Not Linux: nothing is known of it.
    return undefined
  }
}

/** Warns when the database in this folder has more table files than half of what this process may open. */
export const warnOfOpenFiles = (database: string, log: NodeLog, limit = readOpenFileLimit()): void => {
  const files = readdirSync(database).filter((name) => name.endsWith('.sst')).length
  if (limit === undefined || files <= limit * WARN_ABOVE) return
  log.warn('the database comes near the limit of open files: raise the limit (ulimit -n, LimitNOFILE of systemd)', {
    files,
    limit,
  })
}

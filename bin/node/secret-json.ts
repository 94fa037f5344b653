/** A file that holds a private key, as JSON. What JSON.parse says of a malformed one quotes it, and messages go to logs. */
import { readFileSync } from 'node:fs'
import { cliError } from '../errors.ts'

/** Throws what the system says of a file that cannot be read, and cli/4, without a word of it, for one that is no JSON. */
export const readSecretJson = (path: string): unknown => {
  const text = readFileSync(path, 'utf8')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw cliError('settings', 'it is no JSON')
  }
}

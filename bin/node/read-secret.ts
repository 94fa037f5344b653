/** The secret that an application and its gateways share, from a file: an argument would be seen by everybody on the machine. */
import { readFileSync } from 'node:fs'
import { cliError, errorText } from '../errors.ts'

/** Fewer could be tried one after the other. */
const LEAST_BYTES = 32
const MOST_BYTES = 4_096

/** Undefined without a file. Throws cli/settings for one that cannot be read, or holds too little. */
export const readSecret = (path: string | undefined): Uint8Array | undefined => {
  if (path === undefined) return undefined
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw cliError('settings', `--queries-secret-file: ${errorText(error)}`)
  }
  const secret = Buffer.from(text.trim(), 'utf8')
  if (secret.length >= LEAST_BYTES && secret.length <= MOST_BYTES) return secret
  throw cliError(
    'settings',
    `--queries-secret-file: ${path} has ${secret.length} bytes, and a secret has ${LEAST_BYTES} to ${MOST_BYTES}: "openssl rand -hex 32" makes one`,
  )
}

/** The password of a keyring: from a file, from the environment, or asked for. */
import { readFileSync } from 'node:fs'
import { cliError, errorText } from '../../errors.ts'
import { type Backend, TEST_PASSWORD } from './keyring.ts'
import type { Terminal } from './terminal.ts'

export const PASSWORD_VARIABLE = 'CHAIN_KEYRING_PASSWORD'
const MIN_LENGTH = 8

export interface PasswordSource {
  readonly backend: Backend
  readonly file: string | undefined
  readonly terminal: Terminal
}

/** The first line of a file. Throws cli/18. */
export const readPasswordFile = (path: string): string => {
  try {
    const [line = ''] = readFileSync(path, 'utf8').split(/\r?\n/, 1)
    if (line !== '') return line
  } catch (error) {
    throw cliError('keyring', `the password file cannot be read: ${errorText(error)}`)
  }
  throw cliError('keyring', `${path} holds no password`)
}

const givenPassword = ({ backend, file }: PasswordSource): string | undefined => {
  if (backend === 'test') {
    process.stderr.write('warning: the keyring "test" has a password that everybody knows\n')
    return TEST_PASSWORD
  }
  if (file !== undefined) return readPasswordFile(file)
  const password = process.env[PASSWORD_VARIABLE]
  return password === '' ? undefined : password
}

export const readPassword = async (source: PasswordSource, what: string): Promise<string> =>
  givenPassword(source) ?? (await source.terminal.ask(`password of ${what}`, true))

/** The password of a key that is being made: asked for twice on a terminal. Throws cli/18 for one that is too short. */
export const chooseNewPassword = async (source: PasswordSource, what: string): Promise<string> => {
  const given = givenPassword(source)
  if (source.backend === 'test') return TEST_PASSWORD
  const password =
    given ?? (await source.terminal.ask(`new password of ${what}, at least ${MIN_LENGTH} characters`, true))
  if (password.length < MIN_LENGTH) throw cliError('keyring', `a password has at least ${MIN_LENGTH} characters`)
  if (given === undefined && source.terminal.isInteractive) {
    const again = await source.terminal.ask('once more', true)
    if (again !== password) throw cliError('keyring', 'the passwords differ')
  }
  return password
}

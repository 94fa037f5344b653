/** Flags that the commands of the native layer share. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_HOME, openHome, type Home } from '../../node/config/home.ts'
import { findDevnet } from '../devnet/running.ts'
import { BACKENDS, Keyring } from '../keys/keyring.ts'
import { PASSWORD_VARIABLE, type PasswordSource } from '../keys/passwords.ts'
import type { Terminal } from '../keys/terminal.ts'
import { CometClient, DEFAULT_NODE } from './comet-client.ts'
import { type Output, OUTPUTS } from '../output.ts'

export type Flags = Readonly<Record<string, unknown>>

export const textOf = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** A number from 0 to 2^63, exactly. */
export const parseUint = (text: string): bigint => {
  if (!/^(?:0|[1-9][0-9]{0,18})$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return BigInt(text)
}

/** Parses a number that CometBFT reads: below 2^53. */
export const parseCount = (text: string): number => {
  const value = Number(parseUint(text))
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('is too large')
  return value
}

/** A flag's value where its parser is {@link parseUint}. */
export const uintOf = (flags: Flags, name: string): bigint | undefined => {
  const value = flags[name]
  return typeof value === 'bigint' ? value : undefined
}

export const withOutput = (command: Command, byDefault: Output): Command =>
  command.addOption(new Option('-o, --output <form>', 'form of the result').choices(OUTPUTS).default(byDefault))

export const withNode = (command: Command): Command =>
  command.addOption(
    new Option('--node <address>', 'consensus RPC of a node: tcp://host:port or a URL')
      .env('CHAIN_NODE')
      .default(findDevnet()?.flags.cometRpc ?? DEFAULT_NODE),
  )

/** The devnet that runs, where nothing else is named; with the words for it. */
const defaultHome = (): [home: string, words: string] => {
  const devnet = findDevnet()
  return devnet === undefined ? [DEFAULT_HOME, '~/.nat-chain'] : [devnet.home, `${devnet.home}, a devnet that runs`]
}

export const withHome = (command: Command): Command =>
  command.addOption(
    new Option('--home <dir>', 'home of the node, whose keyring is used').env('CHAIN_HOME').default(...defaultHome()),
  )

/** Where names of keys are looked up. */
export const withKeyNames = (command: Command): Command =>
  withHome(command).addOption(
    new Option('--keyring-backend <kind>', 'encrypted files, or test: files with a password that everybody knows')
      .choices(BACKENDS)
      .env('CHAIN_KEYRING_BACKEND')
      .default(findDevnet() === undefined ? 'file' : 'test'),
  )

export const withKeyring = (command: Command): Command =>
  withKeyNames(command).option(
    '--password-file <file>',
    `holds the password of the keyring; without it ${PASSWORD_VARIABLE}, or a prompt`,
  )

export const outputOf = (flags: Flags): Output => (flags['output'] === 'text' ? 'text' : 'json')

export const clientOf = (flags: Flags): CometClient => new CometClient(textOf(flags, 'node') ?? DEFAULT_NODE)

export const homeOf = (flags: Flags): Home => openHome(textOf(flags, 'home') ?? DEFAULT_HOME)

export const keyringOf = (flags: Flags): Keyring =>
  new Keyring(homeOf(flags).root, flags['keyringBackend'] === 'test' ? 'test' : 'file')

export const passwordSourceOf = (flags: Flags, terminal: Terminal): PasswordSource => ({
  backend: keyringOf(flags).backend,
  file: textOf(flags, 'passwordFile'),
  terminal,
})

/** What the commands of `chain keys` do. */
import { publicKeyAddress } from '../../../app/native/public-key.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { compareBytes, plainBytes } from '../../../core/bytes.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { cliError } from '../../errors.ts'
import { addressForms, readAddress } from './addresses.ts'
import { parseJson, readText } from '../input.ts'
import { createMnemonic, deriveKey, requireMnemonic } from './derive-key.ts'
import type { Keyring, KeyRecord } from './keyring.ts'
import { decryptKey, type KeystoreCost, requirePrivateKey } from './keystore.ts'
import { chooseNewPassword, type PasswordSource, readPassword, readPasswordFile } from './passwords.ts'
import { type Algorithm, makeMultisig, printPublicKey, readPublicKey } from './public-key-json.ts'

export interface KeySession {
  readonly keyring: Keyring
  readonly passwords: PasswordSource
}

/** What a command prints of a key. */
export const describeKey = ({ name, kind, publicKey, address }: KeyRecord): Readonly<Record<string, string>> => {
  const { account, checksum } = addressForms(address)
  return {
    name,
    type: kind,
    algo: publicKey.type,
    address: account,
    hex: checksum,
    pubkey: JSON.stringify(printPublicKey(publicKey)),
  }
}

/** Finds a key by name or address. Throws cli/18. */
export const findKey = (keyring: Keyring, text: string): KeyRecord => {
  const address = keyring.find(text) === undefined ? readAddress(text) : undefined
  const record = address === undefined ? keyring.find(text) : keyring.findByAddress(address)
  if (record !== undefined) return record
  throw cliError('keyring', `no key ${text} in ${keyring.folder}`)
}

export interface AddOptions {
  readonly name: string
  readonly algorithm: Algorithm
  readonly path: string
  /** The mnemonic is read, not made. */
  readonly isRecovered: boolean
  readonly cost: KeystoreCost
}

/** The mnemonic is returned for the one time that it is shown. */
export const addKey = async (
  { name, algorithm, path, isRecovered, cost }: AddOptions,
  { keyring, passwords }: KeySession,
): Promise<{ readonly record: KeyRecord; readonly mnemonic: string }> => {
  keyring.checkName(name)
  const mnemonic = isRecovered
    ? requireMnemonic(await passwords.terminal.ask('the words of the mnemonic'))
    : createMnemonic()
  const privateKey = deriveKey(mnemonic, path)
  const password = await chooseNewPassword(passwords, `the key ${name}`)
  return { record: keyring.addPrivateKey(name, algorithm, privateKey, password, cost), mnemonic }
}

/** The keys are sorted by their addresses, as the SDK and CosmJS do, unless told otherwise. */
export const addMultisig = (
  keyring: Keyring,
  name: string,
  members: readonly string[],
  threshold: number,
  isSorted: boolean,
): KeyRecord => {
  const keys = members.map((member) => findKey(keyring, member).publicKey)
  const sorted = keys.toSorted((a, b) => compareBytes(publicKeyAddress(a), publicKeyAddress(b)))
  return keyring.addPublicKey(name, makeMultisig(isSorted ? sorted : keys, threshold))
}

/** The key of somebody else, to be shown or to stand in a multisig. */
export const addPublicKey = (keyring: Keyring, name: string, json: string): KeyRecord =>
  keyring.addPublicKey(name, readPublicKey(parseJson(json, '--pubkey')))

export interface ImportOptions {
  readonly name: string
  /** A file with 64 digits or a keystore; - is standard input. */
  readonly source: string
  readonly sourcePasswordFile: string | undefined
  readonly algorithm: Algorithm
  readonly cost: KeystoreCost
}

const readDigits = (text: string): Uint8Array | undefined => {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim())?.[1]
  return digits === undefined ? undefined : requirePrivateKey(plainBytes(Buffer.from(digits, 'hex')))
}

const readSource = async (
  { source, sourcePasswordFile }: ImportOptions,
  { terminal }: PasswordSource,
): Promise<Uint8Array> => {
  // Never shown again, here or in a message: every process of the machine can read arguments, and shells keep them.
  if (readDigits(source) !== undefined) {
    throw cliError('usage', 'a private key does not stand on the command line: name a file, or - for standard input')
  }
  // A terminal, and a pipe that goes on with passwords, are read by the line.
  const text =
    source === '-'
      ? (await terminal.ask('private key in hexadecimal, or a keystore on one line', true)).trim()
      : readText(source)
  const digits = readDigits(text)
  if (digits !== undefined) return digits
  // Never quoted: it may be a key with a slip in it.
  if (!text.trimStart().startsWith('{')) {
    throw cliError('usage', `${source} holds neither a private key (64 hexadecimal digits) nor a keystore (JSON)`)
  }
  const keystore = parseJson(text, source)
  const password =
    sourcePasswordFile === undefined
      ? await terminal.ask(`password of ${source}`, true)
      : readPasswordFile(sourcePasswordFile)
  return decryptKey(keystore, password, source)
}

export const importKey = async (options: ImportOptions, { keyring, passwords }: KeySession): Promise<KeyRecord> => {
  const { name, algorithm, cost } = options
  keyring.checkName(name)
  const privateKey = await readSource(options, passwords)
  const password = await chooseNewPassword(passwords, `the key ${name}`)
  return keyring.addPrivateKey(name, algorithm, privateKey, password, cost)
}

/** The keystore as it stands in the keyring, without what only this keyring reads. */
export const exportKeystore = (keyring: Keyring, text: string): unknown => {
  const record = findKey(keyring, text)
  if (record.kind !== 'local') throw cliError('keyring', `${record.name} has no private key here (${record.kind})`)
  const { nat: _, ...keystore } = keyring.readFile(record.name) as Readonly<Record<string, unknown>>
  return keystore
}

/** Sixty-four digits that spend everything. Throws cli/18 for a no. */
export const exportPrivateKey = async (
  text: string,
  isConfirmed: boolean,
  { keyring, passwords }: KeySession,
): Promise<string> => {
  const record = findKey(keyring, text)
  const question = `show the private key of ${record.name} (${encodeBech32(record.address)}) to all who see this screen?`
  if (!isConfirmed && !(await passwords.terminal.confirm(question))) throw cliError('keyring', 'not shown')
  const password = await readPassword(passwords, `the key ${record.name}`)
  return bytesToUnprefixedHex(keyring.openPrivateKey(record, password))
}

export const deleteKey = async (
  text: string,
  isConfirmed: boolean,
  { keyring, passwords }: KeySession,
): Promise<KeyRecord> => {
  const record = findKey(keyring, text)
  const question = `delete ${record.name} (${encodeBech32(record.address)}) for ever?`
  if (!isConfirmed && !(await passwords.terminal.confirm(question))) throw cliError('keyring', 'not deleted')
  keyring.remove(record.name)
  return record
}

/** `chain verify-proof`: checks a reply of abci_query or eth_getProof against a hash that its user trusts. */
import { readFileSync } from 'node:fs'
import { parseAddress } from '../../../core/address.ts'
import { bytesToBigint, equalBytes } from '../../../core/bytes.ts'
import { type Hash, ZERO_HASH } from '../../../core/hash.ts'
import { bytesToHex, hexToBigint, hexToBytes } from '../../../core/hex.ts'
import {
  decodeStateProof,
  type ProvenAccount,
  verifyAccountProof,
  verifySlotProof,
  verifyStateProof,
} from '../../../store/trie/verify-state-proof.ts'
import { cliError, errorText } from '../../errors.ts'

export interface VerifyProofOptions {
  /** A file with the JSON of the reply, or its result alone; standard input when left out. */
  readonly file: string | undefined
  /** CometBFT's app_hash of the height that follows the one of the proof. */
  readonly appHash: string | undefined
  /** stateRoot of the Ethereum block. */
  readonly stateRoot: string | undefined
  /** The module that abci_query was asked about: its reply does not name it. */
  readonly module: string | undefined
}

type Members = Readonly<Record<string, unknown>>

const HASH_BYTES = 32
/** A proof of 1,024 slots has some 10 MB. */
const MAX_CHARACTERS = 64 * 1024 * 1024
const STANDARD_INPUT = 0
const PROOF_TYPE = 'eth:mpt'

const refuse = (message: string): never => {
  throw cliError('proof', message)
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const membersOf = (value: unknown, name: string): Members =>
  isMembers(value)
    ? value
    : refuse(`the reply has no ${name}: give the reply of abci_query with prove, or of eth_getProof`)

const arrayOf = (value: unknown, name: string): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : refuse(`the reply has no list ${name}`)

const textOf = (value: unknown, name: string): string =>
  typeof value === 'string' ? value : refuse(`the reply has no ${name}`)

const parse = <Value>(name: string, text: string, read: (text: string) => Value): Value => {
  try {
    return read(text)
  } catch (error) {
    return refuse(`${name}: ${errorText(error)}`)
  }
}

const hexOf = (value: unknown, name: string): Uint8Array => parse(name, textOf(value, name), hexToBytes)

/** CometBFT writes bytes in base64, and null for none. */
const base64Of = (value: unknown, name: string): Uint8Array => {
  const text = value === null || value === undefined ? '' : textOf(value, name)
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? new Uint8Array(Buffer.from(text, 'base64'))
    : refuse(`${name} is not base64`)
}

/** Reads a hash with or without 0x, as Ethereum and CometBFT write hashes. */
const hashOf = (text: string, option: string): Hash => {
  const hash = parse(option, text.startsWith('0x') ? text : `0x${text}`, hexToBytes)
  return hash.length === HASH_BYTES ? hash : refuse(`${option} must have 32 bytes in hexadecimal`)
}

// ---- abci_query -----------------------------------------------------------------------------------------------

const describeValue = (response: Members, { appHash, module }: VerifyProofOptions): string[] => {
  if (appHash === undefined) return refuse('a reply of abci_query is checked against --app-hash')
  if (module === undefined) return refuse('say with --module which store was asked: the reply does not name it')
  const ops = arrayOf(membersOf(response['proofOps'] ?? response['proof_ops'], 'proofOps')['ops'], 'proofOps.ops')
  const [op] = ops
  if (ops.length !== 1 || !isMembers(op) || op['type'] !== PROOF_TYPE) {
    return refuse(`the reply must have one proof of type ${PROOF_TYPE}`)
  }
  const key = base64Of(response['key'], 'key')
  const value = base64Of(response['value'], 'value')
  const claim = { appHash: hashOf(appHash, '--app-hash'), module, key, value }
  const { height, stateRoot, present } = verifyStateProof(claim, decodeStateProof(base64Of(op['data'], 'data')))
  return [
    `proven at height ${height}, state root ${bytesToHex(stateRoot)}`,
    `module ${module}, key ${bytesToHex(key)}: ${present ? `value ${bytesToHex(value)}` : 'no value'}`,
  ]
}

// ---- eth_getProof ---------------------------------------------------------------------------------------------

const same = (name: string, said: unknown, proven: bigint): void => {
  const claimed = parse(name, textOf(said, name), hexToBigint)
  if (claimed !== proven) refuse(`the reply says ${name} ${claimed}, the proof ${proven}`)
}

const sameHash = (name: string, said: unknown, proven: Hash): void => {
  if (!equalBytes(hexOf(said, name), proven))
    refuse(`the reply has another ${name} than the proof: ${bytesToHex(proven)}`)
}

const checkAccount = (reply: Members, account: ProvenAccount | undefined): void => {
  same('balance', reply['balance'], account?.balance ?? 0n)
  same('nonce', reply['nonce'], account?.nonce ?? 0n)
  sameHash('codeHash', reply['codeHash'], account?.codeHash ?? ZERO_HASH)
  sameHash('storageHash', reply['storageHash'], account?.storageRoot ?? ZERO_HASH)
}

const slotOf = (key: string): Uint8Array => {
  const digits = key.startsWith('0x') ? key.slice(2) : key
  return hexToBytes(`0x${digits.padStart(2 * HASH_BYTES, '0')}`)
}

const describeSlot = (entry: unknown, account: ProvenAccount | undefined): string => {
  const { key, value, proof } = membersOf(entry, 'storageProof')
  const name = textOf(key, 'key')
  const nodes = arrayOf(proof, 'proof').map((node) => hexOf(node, 'proof'))
  const slot = parse('key', name, slotOf)
  const proven = account === undefined ? new Uint8Array(0) : verifySlotProof(account.storageRoot, slot, nodes)
  same(`value of ${name}`, value, bytesToBigint(proven))
  return `slot ${name}: ${bytesToBigint(proven)}`
}

const describeAccount = (reply: Members, { stateRoot }: VerifyProofOptions): string[] => {
  if (stateRoot === undefined) return refuse('a reply of eth_getProof is checked against --state-root')
  const root = hashOf(stateRoot, '--state-root')
  const hex = textOf(reply['address'], 'address')
  const nodes = arrayOf(reply['accountProof'], 'accountProof').map((node) => hexOf(node, 'accountProof'))
  const account = verifyAccountProof(root, parse('address', hex, parseAddress), nodes)
  checkAccount(reply, account)
  const slots = arrayOf(reply['storageProof'], 'storageProof').map((entry) => describeSlot(entry, account))
  return [
    `proven under state root ${bytesToHex(root)}`,
    account === undefined
      ? `account ${hex}: none`
      : `account ${hex}: nonce ${account.nonce}, balance ${account.balance} anat, code hash ${bytesToHex(account.codeHash)}`,
    ...slots,
  ]
}

// ---- the command ----------------------------------------------------------------------------------------------

const readText = (file: string | undefined): string => {
  try {
    return readFileSync(file ?? STANDARD_INPUT, 'utf8')
  } catch (error) {
    return refuse(`cannot read ${file ?? 'standard input'}: ${errorText(error)}`)
  }
}

const parseReply = (text: string): unknown => {
  if (text.length > MAX_CHARACTERS) refuse('the reply is too long')
  try {
    return JSON.parse(text)
  } catch (error) {
    return refuse(`the reply is not JSON: ${errorText(error)}`)
  }
}

const readReply = (file: string | undefined): Members => {
  const reply = membersOf(parseReply(readText(file)), 'members')
  const result = isMembers(reply['result']) ? reply['result'] : reply
  return isMembers(result['response']) ? result['response'] : result
}

/** What is proven, in lines. Throws cli/proof or trie errors: then nothing is. */
export const verifyProofCommand = (options: VerifyProofOptions): string[] => {
  const reply = readReply(options.file)
  return 'accountProof' in reply ? describeAccount(reply, options) : describeValue(reply, options)
}

/** State tests of ethereum/tests and execution-spec-tests: from JSON to cases. */
import { type Address, parseAddress } from '../../core/address.ts'
import { bigintToBytes, padLeft, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256, type Hash, ZERO_HASH } from '../../core/hash.ts'
import { hexToBigint, hexToBytes } from '../../core/hex.ts'
import { privateKeyToAddress } from '../../core/signature.ts'
import type { BlockEnvironment, Hardfork, Message } from '../engine.ts'
import type { AccessListEntry, Authorization } from '../transaction/transaction.ts'
import { statetestError } from './errors.ts'

export interface PreAccount {
  readonly address: Address
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  /** Slots of 32 bytes with values other than zero. */
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface StateTestCase {
  readonly name: string
  /** The fork as the file spells it: `Osaka`. */
  readonly fork: string
  readonly block: BlockEnvironment
  readonly message: Message
  /** Where given it must decode, recover and name the right chain, or the transaction is refused. */
  readonly raw: Uint8Array | undefined
  readonly stateRoot: string
  readonly logsHash: string
  readonly expectedException: string | undefined
}

/** One name of a file: several cases over the same accounts. */
export interface StateTest {
  readonly name: string
  readonly pre: readonly PreAccount[]
  readonly cases: readonly StateTestCase[]
  /** Forks in the file that this EVM does not know. */
  readonly unknownForks: readonly string[]
}

const FORKS: ReadonlyMap<string, Hardfork> = new Map([
  ['Cancun', 'cancun'],
  ['Prague', 'prague'],
  ['Osaka', 'osaka'],
])

/** The base fee update fractions of EIP-4844 and EIP-7691. */
const BLOB_FEE_FRACTIONS: Readonly<Record<Hardfork, bigint>> = {
  cancun: 3_338_477n,
  prague: 5_007_716n,
  osaka: 5_007_716n,
}

type Json = { readonly [key: string]: unknown }

const fail = (message: string): never => {
  throw statetestError('malformed', message)
}
const object = (value: unknown, what: string): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : fail(`${what} is no object`)
const array = (value: unknown, what: string): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : fail(`${what} is no array`)
const text = (value: unknown, what: string): string =>
  typeof value === 'string' ? value : fail(`${what} is no string`)
const index = (value: unknown, what: string): number =>
  typeof value === 'number' ? value : fail(`${what} is no number`)

const prefixed = (hex: string): string => (hex.startsWith('0x') ? hex : `0x${hex}`)
/** `0x:bigint 0x1...` is how the tests write a value of more than 256 bits. */
const integer = (value: unknown, what: string): bigint => hexToBigint(text(value, what).replace('0x:bigint ', ''))
const optionalInteger = (value: unknown, what: string): bigint | undefined =>
  value === undefined || value === null ? undefined : integer(value, what)
const data = (value: unknown, what: string): Uint8Array => hexToBytes(prefixed(text(value, what)))
const word = (value: unknown, what: string): Uint8Array => padLeft(bigintToBytes(integer(value, what)), 32)
const address = (value: unknown, what: string): Address => parseAddress(prefixed(text(value, what)))

const parseAccount = ([key, value]: [string, unknown]): PreAccount => {
  const account = object(value, key)
  return {
    address: address(key, 'an address of pre'),
    nonce: integer(account['nonce'], 'nonce'),
    balance: integer(account['balance'], 'balance'),
    code: data(account['code'], 'code'),
    storage: Object.entries(object(account['storage'], 'storage'))
      .map(([slot, content]) => [word(slot, 'slot'), bigintToBytes(integer(content, 'storage value'))] as const)
      .filter(([, content]) => content.length > 0),
  }
}

const parseAccessList = (value: unknown): readonly AccessListEntry[] =>
  array(value, 'an access list').map((item) => {
    const entry = object(item, 'an entry of an access list')
    return {
      address: address(entry['address'], 'address'),
      storageKeys: array(entry['storageKeys'], 'storageKeys').map((key) => word(key, 'storage key')),
    }
  })

const parseAuthorization = (value: unknown): Authorization => {
  const tuple = object(value, 'an authorization')
  return {
    chainId: integer(tuple['chainId'], 'chainId'),
    address: address(tuple['address'], 'address'),
    nonce: integer(tuple['nonce'], 'nonce'),
    yParity: integer(tuple['yParity'] ?? tuple['v'], 'yParity'),
    r: integer(tuple['r'], 'r'),
    s: integer(tuple['s'], 's'),
  }
}

/** fake_exponential of EIP-4844 with a minimum of one wei. */
const blobBaseFee = (excessBlobGas: bigint, fraction: bigint): bigint => {
  let sum = 0n
  let term = fraction
  for (let step = 1n; term > 0n; step++) {
    sum += term
    term = (term * excessBlobGas) / (fraction * step)
  }
  return sum / fraction
}

const parseBlock = (env: Json, chainId: bigint, hardfork: Hardfork): BlockEnvironment => ({
  number: Number(integer(env['currentNumber'], 'currentNumber')),
  timestamp: Number(integer(env['currentTimestamp'], 'currentTimestamp')),
  coinbase: address(env['currentCoinbase'], 'currentCoinbase'),
  gasLimit: integer(env['currentGasLimit'], 'currentGasLimit'),
  baseFeePerGas: optionalInteger(env['currentBaseFee'], 'currentBaseFee') ?? 10n,
  blobBaseFee: blobBaseFee(
    optionalInteger(env['currentExcessBlobGas'], 'currentExcessBlobGas') ?? 0n,
    BLOB_FEE_FRACTIONS[hardfork],
  ),
  prevRandao: env['currentRandom'] === undefined ? ZERO_HASH : word(env['currentRandom'], 'currentRandom'),
  chainId,
  hardfork,
  blockHash: (number): Hash => keccak256(utf8ToBytes(number.toString())),
})

interface Indexes {
  readonly data: number
  readonly gas: number
  readonly value: number
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Tells the types apart as geth's command does: a blob fee alone makes no blob transaction. */
const typeOf = (transaction: Json, accessList: unknown): number => {
  const hashes = transaction['blobVersionedHashes']
  // Refused for want of blobs, whatever else it has.
  if (Array.isArray(hashes) && hashes.length === 0) return 3
  if (isPresent(transaction['authorizationList'])) return 4
  if (isPresent(hashes)) return 3
  if (isPresent(transaction['maxFeePerGas'])) return 2
  return isPresent(accessList) ? 1 : 0
}

const parseSender = (transaction: Json): Address =>
  transaction['sender'] === undefined
    ? privateKeyToAddress(data(transaction['secretKey'], 'secretKey'))
    : address(transaction['sender'], 'sender')

const parseMessage = (transaction: Json, at: Indexes): Message => {
  const lists = transaction['accessLists']
  const accessList = lists === undefined ? undefined : array(lists, 'accessLists')[at.data]
  const to = transaction['to'] === undefined ? '' : text(transaction['to'], 'to')
  const maxFeePerGas =
    optionalInteger(transaction['maxFeePerGas'], 'maxFeePerGas') ??
    optionalInteger(transaction['gasPrice'], 'gasPrice') ??
    0n
  return {
    type: typeOf(transaction, accessList),
    sender: parseSender(transaction),
    to: to === '' ? undefined : address(to, 'to'),
    nonce: optionalInteger(transaction['nonce'], 'nonce') ?? 0n,
    gasLimit: integer(array(transaction['gasLimit'], 'gasLimit')[at.gas], 'gasLimit'),
    value: integer(array(transaction['value'], 'value')[at.value], 'value'),
    data: data(array(transaction['data'], 'data')[at.data], 'data'),
    maxFeePerGas,
    maxPriorityFeePerGas: optionalInteger(transaction['maxPriorityFeePerGas'], 'maxPriorityFeePerGas') ?? maxFeePerGas,
    accessList: accessList === undefined || accessList === null ? [] : parseAccessList(accessList),
    authorizationList: array(transaction['authorizationList'] ?? [], 'authorizationList').map(parseAuthorization),
    blobVersionedHashes: array(transaction['blobVersionedHashes'] ?? [], 'blobVersionedHashes').map((hash) =>
      data(hash, 'blob hash'),
    ),
    maxFeePerBlobGas: optionalInteger(transaction['maxFeePerBlobGas'], 'maxFeePerBlobGas'),
  }
}

const parseCases = (name: string, test: Json, fork: string, hardfork: Hardfork): StateTestCase[] => {
  const config = test['config'] === undefined ? {} : object(test['config'], 'config')
  const block = parseBlock(object(test['env'], 'env'), optionalInteger(config['chainid'], 'chainid') ?? 1n, hardfork)
  const transaction = object(test['transaction'], 'transaction')
  return array(object(test['post'], 'post')[fork], fork).map((item) => {
    const post = object(item, 'a post state')
    const indexes = object(post['indexes'], 'indexes')
    const raw = post['txbytes']
    const exception = post['expectException']
    return {
      name,
      fork,
      block,
      message: parseMessage(transaction, {
        data: index(indexes['data'], 'data index'),
        gas: index(indexes['gas'], 'gas index'),
        value: index(indexes['value'], 'value index'),
      }),
      raw: raw === undefined ? undefined : data(raw, 'txbytes'),
      stateRoot: prefixed(text(post['hash'], 'hash')),
      logsHash: prefixed(text(post['logs'], 'logs')),
      expectedException: exception === undefined ? undefined : text(exception, 'expectException'),
    }
  })
}

/** Parses a file of state tests. Throws a CodedError that names the member at fault. */
export const parseStateTests = (file: unknown): StateTest[] =>
  Object.entries(object(file, 'the file')).map(([name, value]) => {
    const test = object(value, name)
    const forks = Object.keys(object(test['post'], 'post'))
    return {
      name,
      pre: Object.entries(object(test['pre'], 'pre')).map(parseAccount),
      cases: forks.flatMap((fork) => {
        const hardfork = FORKS.get(fork)
        return hardfork === undefined ? [] : parseCases(name, test, fork, hardfork)
      }),
      unknownForks: forks.filter((fork) => !FORKS.has(fork)),
    }
  })

/** The member `auth` of app_state: the parameters; an export brings the public keys too. */
import { type Address, checksumAddress } from '../../core/address.ts'
import { MAX_UINT64 } from '../../core/amounts.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { compareBytes, bytesToBase64 } from '../../core/bytes.ts'
import { failAt, parseAmount, parseArray, parseObject, parseString } from '../../core/parse.ts'
import type { PackedPublicKey } from './keeper.ts'
import { type AuthParameters, DEFAULT_AUTH_PARAMETERS, PARAMETER_NAMES, parametersFault } from './params.ts'

const MAX_KEYS = 10_000_000
/** A multisig of seven keys has some 600. */
const MAX_KEY_BYTES = 4_096

export interface AuthGenesis {
  /** Parsed anew each time: there may be millions. */
  readonly publicKeys: Iterable<readonly [Address, PackedPublicKey]>
  readonly parameters: AuthParameters
}

const parseOwner = (value: unknown, path: string): Address => {
  const text = parseString(value, path)
  try {
    return parseAccountAddress(text)
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

const parseKey = (value: unknown, path: string): readonly [Address, PackedPublicKey] => {
  const object = parseObject(value, path, ['address', 'type_url', 'value'])
  const bytes = Uint8Array.from(Buffer.from(parseString(object['value'], `${path}.value`), 'base64'))
  if (bytes.length === 0 || bytes.length > MAX_KEY_BYTES) failAt(`${path}.value`, 'must be a public key in base64')
  const typeUrl = parseString(object['type_url'], `${path}.type_url`)
  return [parseOwner(object['address'], `${path}.address`), { typeUrl, value: bytes }]
}

function* parseKeys(items: readonly unknown[], path: string): Generator<readonly [Address, PackedPublicKey], void> {
  for (const [index, item] of items.entries()) yield parseKey(item, `${path}[${index}]`)
}

const parseParameters = (value: unknown, path: string): AuthParameters => {
  const wireNames = PARAMETER_NAMES.map(([, wireName]) => wireName)
  const object = parseObject(value ?? {}, path, wireNames)
  const read = ([name, wireName]: (typeof PARAMETER_NAMES)[number]): bigint => {
    if (object[wireName] === undefined) return DEFAULT_AUTH_PARAMETERS[name]
    const amount = parseAmount(object[wireName], `${path}.${wireName}`)
    return amount <= MAX_UINT64 ? amount : failAt(`${path}.${wireName}`, 'must be below 2^64')
  }
  const [memo, signatures, byte, ed25519, secp256k1] = PARAMETER_NAMES
  const parameters: AuthParameters = {
    maxMemoCharacters: read(memo),
    txSigLimit: read(signatures),
    txSizeCostPerByte: read(byte),
    sigVerifyCostEd25519: read(ed25519),
    sigVerifyCostSecp256k1: read(secp256k1),
  }
  const fault = parametersFault(parameters)
  return fault === undefined ? parameters : failAt(path, fault)
}

/** The inverse of `parseParameters`. */
export const formatParameters = (parameters: AuthParameters): Record<string, string> =>
  Object.fromEntries(PARAMETER_NAMES.map(([name, wireName]) => [wireName, parameters[name].toString()]))

/** Throws genesis/1 with the member at fault. `checkKey` says what is wrong with the key of an account. */
export const parseAuthGenesis = (
  genesis: unknown,
  checkKey: (address: Address, key: PackedPublicKey) => string | undefined = () => undefined,
  path = 'app_state.auth',
): AuthGenesis => {
  const object = parseObject(genesis ?? {}, path, ['params', 'public_keys'])
  const at = `${path}.public_keys`
  const items = parseArray(object['public_keys'], at, MAX_KEYS)
  let previous: Address | undefined
  let index = 0
  for (const [address, key] of parseKeys(items, at)) {
    if (previous !== undefined && compareBytes(previous, address) >= 0) {
      failAt(`${at}[${index}].address`, 'the addresses must ascend')
    }
    const fault = checkKey(address, key)
    if (fault !== undefined) failAt(`${at}[${index}].value`, fault)
    previous = address
    index++
  }
  return {
    publicKeys: { [Symbol.iterator]: () => parseKeys(items, at) },
    parameters: parseParameters(object['params'], `${path}.params`),
  }
}

/** The inverse of {@link parseAuthGenesis}. */
export function* formatPublicKeys(keys: Iterable<readonly [Address, PackedPublicKey]>): Generator<unknown, void> {
  for (const [address, { typeUrl, value }] of keys) {
    yield { address: checksumAddress(address), type_url: typeUrl, value: bytesToBase64(value) }
  }
}

/** The member `auth` of app_state: empty in a new chain; an export brings the public keys. */
import { type Address, checksumAddress } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { compareBytes, viewBuffer } from '../../core/bytes.ts'
import { failAt, parseArray, parseObject, parseString } from '../../core/parse.ts'
import type { PackedPublicKey } from './keeper.ts'

const MAX_KEYS = 10_000_000
/** A multisig of seven keys has some 600. */
const MAX_KEY_BYTES = 4_096

export interface AuthGenesis {
  /** Parsed anew each time: there may be millions. */
  readonly publicKeys: Iterable<readonly [Address, PackedPublicKey]>
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

/** Throws genesis/1 with the member at fault. `checkKey` says what is wrong with the key of an account. */
export const parseAuthGenesis = (
  genesis: unknown,
  checkKey: (address: Address, key: PackedPublicKey) => string | undefined = () => undefined,
  path = 'app_state.auth',
): AuthGenesis => {
  const object = parseObject(genesis ?? {}, path, ['public_keys'])
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
  return { publicKeys: { [Symbol.iterator]: () => parseKeys(items, at) } }
}

/** The inverse of {@link parseAuthGenesis}. */
export function* formatPublicKeys(keys: Iterable<readonly [Address, PackedPublicKey]>): Generator<unknown, void> {
  for (const [address, { typeUrl, value }] of keys) {
    yield { address: checksumAddress(address), type_url: typeUrl, value: viewBuffer(value).toString('base64') }
  }
}

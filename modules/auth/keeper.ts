/** Public keys of accounts. All else of an account follows from the state of the EVM: its sequence is the nonce. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { type Address, moduleAddress } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { PUBLIC_KEYS_PREFIX, publicKeyKey } from './keys.ts'

export const AUTH_ADDRESS = moduleAddress('auth')

/** A public key as native transactions carry it. */
export interface PackedPublicKey {
  readonly typeUrl: string
  readonly value: Uint8Array
}

const decode = (bytes: Uint8Array): PackedPublicKey => {
  const { typeUrl, value } = fromBinary(AnySchema, bytes)
  return { typeUrl, value }
}

export const readPublicKey = (state: StateReader, address: Address): PackedPublicKey | undefined => {
  const bytes = state.value(AUTH_ADDRESS, publicKeyKey(address))
  return bytes === undefined ? undefined : decode(bytes)
}

export const writePublicKey = (state: StateWriter, address: Address, { typeUrl, value }: PackedPublicKey): void =>
  state.setValue(AUTH_ADDRESS, publicKeyKey(address), toBinary(AnySchema, create(AnySchema, { typeUrl, value })))

/** Keys read at once. */
const CHUNK = 1_000

/** Every account with a public key in the order of addresses. */
export function* readPublicKeys(state: StateReader): Generator<readonly [Address, PackedPublicKey], void> {
  for (let start: Uint8Array = PUBLIC_KEYS_PREFIX; ; ) {
    const entries = state.values(AUTH_ADDRESS, PUBLIC_KEYS_PREFIX, CHUNK, start)
    for (const [key, value] of entries) yield [key.slice(PUBLIC_KEYS_PREFIX.length), decode(value)]
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    start = concatBytes(last[0], Uint8Array.of(0))
  }
}

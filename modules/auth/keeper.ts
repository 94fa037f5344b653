/** Public keys of accounts, and the parameters. All else of an account follows from the state of the EVM: its sequence is the nonce. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { type Address, moduleAddress } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../core/bytes.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { PARAMS_KEY, PUBLIC_KEYS_PREFIX, publicKeyKey } from './keys.ts'
import { type AuthParameters, DEFAULT_AUTH_PARAMETERS, PARAMETER_NAMES } from './params.ts'

export const AUTH_ADDRESS = moduleAddress('auth')

/** A public key as native transactions carry it. */
export interface PackedPublicKey {
  readonly typeUrl: string
  readonly value: Uint8Array
}

/** The decoded keys by the bytes in the state, which are the same object as long as the state holds them in memory. */
const decoded = new WeakMap<Uint8Array, PackedPublicKey>()

const decode = (bytes: Uint8Array): PackedPublicKey => {
  const known = decoded.get(bytes)
  if (known !== undefined) return known
  const { typeUrl, value } = fromBinary(AnySchema, bytes)
  const key = { typeUrl, value }
  decoded.set(bytes, key)
  return key
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

export const readAuthParameters = (state: StateReader): AuthParameters => {
  const value = state.value(AUTH_ADDRESS, PARAMS_KEY)
  if (value === undefined) return DEFAULT_AUTH_PARAMETERS
  const [memo, signatures, byte, ed25519, secp256k1] = (decodeRlp(value) as Uint8Array[]).map(bytesToBigint)
  return {
    maxMemoCharacters: memo ?? 0n,
    txSigLimit: signatures ?? 0n,
    txSizeCostPerByte: byte ?? 0n,
    sigVerifyCostEd25519: ed25519 ?? 0n,
    sigVerifyCostSecp256k1: secp256k1 ?? 0n,
  }
}

/** The defaults take no place in the state. */
export const writeAuthParameters = (state: StateWriter, parameters: AuthParameters): void => {
  const isDefault = PARAMETER_NAMES.every(([name]) => parameters[name] === DEFAULT_AUTH_PARAMETERS[name])
  const values = PARAMETER_NAMES.map(([name]) => bigintToBytes(parameters[name]))
  state.setValue(AUTH_ADDRESS, PARAMS_KEY, isDefault ? undefined : encodeRlp(values))
}

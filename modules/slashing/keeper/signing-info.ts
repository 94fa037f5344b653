/** Parameters and signing infos. With missed-blocks.ts the only code that touches the keys of slashing. */
import { moduleAddress } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, bytesToKey, compareBytes, concatBytes, equalBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { ADDRESS_BYTES, addressOfKey, OVER_LIMIT_KEY, PARAMS_KEY, SIGNING_INFO, signingInfoKey } from '../keys.ts'
import { decodeParams, encodeParams, maxMissed, type SlashingParams } from '../params.ts'

export const SLASHING_ADDRESS = moduleAddress('slashing')

export interface SigningInfo {
  /** Where it was bonded last: a whole window passes before it can be punished. */
  readonly startHeight: number
  /** Nanoseconds since 1970; 0 when it never was in jail. */
  readonly jailedUntilNs: bigint
  /** A validator stays tombstoned for ever. */
  readonly tombstoned: boolean
  /** The missed blocks of the last window: the number of its bits. */
  readonly missedBlocks: number
}

/** Values read at once. */
const CHUNK = 500

export const readParams = (state: StateReader): SlashingParams => {
  const value = state.value(SLASHING_ADDRESS, PARAMS_KEY)
  invariant(value !== undefined, 'slashing has no parameters: the state has no genesis')
  return decodeParams(value)
}

export const writeParams = (state: StateWriter, params: SlashingParams): void =>
  state.setValue(SLASHING_ADDRESS, PARAMS_KEY, encodeParams(params))

const decodeInfo = (bytes: Uint8Array): SigningInfo => {
  const [start = 0n, until = 0n, tombstoned = 0n, missed = 0n] = (decodeRlp(bytes) as Uint8Array[]).map(bytesToBigint)
  return {
    startHeight: Number(start),
    jailedUntilNs: until,
    tombstoned: tombstoned === 1n,
    missedBlocks: Number(missed),
  }
}

/** Reads the signing info. A validator that was never bonded has none. */
export const readSigningInfo = (state: StateReader, address: Uint8Array): SigningInfo | undefined => {
  const value = state.value(SLASHING_ADDRESS, signingInfoKey(address))
  return value === undefined ? undefined : decodeInfo(value)
}

export const writeSigningInfo = (state: StateWriter, address: Uint8Array, info: SigningInfo): void =>
  state.setValue(
    SLASHING_ADDRESS,
    signingInfoKey(address),
    encodeRlp(
      [BigInt(info.startHeight), info.jailedUntilNs, info.tombstoned ? 1n : 0n, BigInt(info.missedBlocks)].map(
        bigintToBytes,
      ),
    ),
  )

/** Lists signing infos in the order of addresses, from `start` (inclusive) on. */
export function* listSigningInfos(
  state: StateReader,
  start?: Uint8Array,
): Generator<readonly [address: Uint8Array, SigningInfo], void> {
  for (let from = concatBytes(SIGNING_INFO, start ?? new Uint8Array(0)); ; ) {
    const entries = state.values(SLASHING_ADDRESS, SIGNING_INFO, CHUNK, from)
    for (const [key, value] of entries) yield [addressOfKey(key), decodeInfo(value)]
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    from = concatBytes(last[0], Uint8Array.of(0))
  }
}

/**
 * Who missed more than is allowed and is not punished yet: in its first window, or out of the set. Only of these a
 * signed block can bring the punishment, so that of all others one that signs is not looked up.
 */
export const readOverLimit = (state: StateReader): readonly Uint8Array[] => {
  const value = state.value(SLASHING_ADDRESS, OVER_LIMIT_KEY)
  if (value === undefined) return []
  return Array.from({ length: value.length / ADDRESS_BYTES }, (_, index) =>
    value.slice(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES),
  )
}

/** `addresses` in any order, each once. */
export const writeOverLimit = (state: StateWriter, addresses: readonly Uint8Array[]): void =>
  state.setValue(
    SLASHING_ADDRESS,
    OVER_LIMIT_KEY,
    addresses.length === 0 ? undefined : concatBytes(...[...addresses].sort(compareBytes)),
  )

/** Writes the info with a new count, and the list of those over the limit when it changes. */
export const writeMissedCount = (
  state: StateWriter,
  address: Uint8Array,
  info: SigningInfo,
  params: SlashingParams,
): void => {
  writeSigningInfo(state, address, info)
  const listed = readOverLimit(state)
  const others = listed.filter((each) => !equalBytes(each, address))
  const isOver = info.missedBlocks > maxMissed(params)
  if (isOver === others.length < listed.length) return
  writeOverLimit(state, isOver ? [...others, address] : others)
}

/** The keys as `bytesToKey` gives them. */
export const overLimitKeys = (state: StateReader): ReadonlySet<string> => new Set(readOverLimit(state).map(bytesToKey))

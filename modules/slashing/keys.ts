/** Keys of slashing. `address` is CometBFT's address of a validator's key, 20 bytes. */
import { concatBytes } from '../../core/bytes.ts'

/** RLP [window, min signed, jail duration in ns, fraction of a double sign, fraction of downtime]; decimals times 10^18. */
export const PARAMS_KEY = Uint8Array.of(0)
/** 0x01 address: RLP [start height, jailed until in ns since 1970, tombstoned, missed blocks]. */
export const SIGNING_INFO = Uint8Array.of(1)
/** 0x02 address chunk(4): 1,024 bits, the lowest of a byte first; absent without any. */
export const MISSED_CHUNK = Uint8Array.of(2)
/** Addresses of all that missed more than is allowed, sorted; absent without any. */
export const OVER_LIMIT_KEY = Uint8Array.of(3)

export const ADDRESS_BYTES = 20

export const signingInfoKey = (address: Uint8Array): Uint8Array => concatBytes(SIGNING_INFO, address)

export const missedChunkKey = (address: Uint8Array, chunk: number): Uint8Array => {
  const key = new Uint8Array(1 + ADDRESS_BYTES + 4)
  key.set(MISSED_CHUNK)
  key.set(address, 1)
  new DataView(key.buffer).setUint32(1 + ADDRESS_BYTES, chunk)
  return key
}

/** The address in a key of either kind. */
export const addressOfKey = (key: Uint8Array): Uint8Array => key.slice(1, 1 + ADDRESS_BYTES)

/** Keys of the bridge's store. Numbers are big endian. */
import { type Address, moduleAddress } from '../../core/address.ts'
import type { BridgeContract } from '../../core/bridge-event.ts'
import { concatBytes, uint32ToBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'

export const BRIDGE_ADDRESS: Address = moduleAddress('bridge')

export const PARAMS_KEY = Uint8Array.of(0x01)
export const PROGRESS_KEY = Uint8Array.of(0x02)
export const OPEN_PREFIX = Uint8Array.of(0x03)
export const DECIDED_PREFIX = Uint8Array.of(0x04)
export const REFUSED_PREFIX = Uint8Array.of(0x05)
export const FORMER_PREFIX = Uint8Array.of(0x06)
export const MINTED_PREFIX = Uint8Array.of(0x07)

export const idKey = (prefix: Uint8Array, id: number): Uint8Array => concatBytes(prefix, uint32ToBytes(id))

/** chain id (8), address (20) */
export const formerKey = ({ chainId, address }: BridgeContract): Uint8Array =>
  concatBytes(FORMER_PREFIX, uint64ToBytes(chainId), address)

export const mintedKey = (denom: string): Uint8Array => concatBytes(MINTED_PREFIX, utf8ToBytes(denom))

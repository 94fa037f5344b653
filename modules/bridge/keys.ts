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
export const formerKey = (contract: BridgeContract): Uint8Array => ofContract(FORMER_PREFIX, contract)

export const mintedKey = (denom: string): Uint8Array => concatBytes(MINTED_PREFIX, utf8ToBytes(denom))

export const BURNED_PREFIX = Uint8Array.of(0x08)
export const KEY_PREFIX = Uint8Array.of(0x09)
export const KEY_OWNER_PREFIX = Uint8Array.of(0x0a)
export const WAY_BACK_PREFIX = Uint8Array.of(0x0b)
export const WITHDRAWAL_PREFIX = Uint8Array.of(0x0c)
export const NODE_PREFIX = Uint8Array.of(0x0d)
export const SET_PREFIX = Uint8Array.of(0x0e)
export const ROOTS_PREFIX = Uint8Array.of(0x0f)
export const UNHEARD_KEY = Uint8Array.of(0x10)

export const burnedKey = (denom: string): Uint8Array => concatBytes(BURNED_PREFIX, utf8ToBytes(denom))

/** A validator's key of the bridge stands behind CometBFT's address of it (20). */
export const bridgeKeyKey = (validator: Uint8Array): Uint8Array => concatBytes(KEY_PREFIX, validator)
/** The validator that has a key stands behind the address of the key (20). */
export const keyOwnerKey = (address: Uint8Array): Uint8Array => concatBytes(KEY_OWNER_PREFIX, address)

/** A prefix, then chain id (8) and address (20): what is of one contract stays its own. */
export const ofContract = (prefix: Uint8Array, { chainId, address }: BridgeContract): Uint8Array =>
  concatBytes(prefix, uint64ToBytes(chainId), address)

/** The contract, then level (1) and index (4). */
export const nodeKey = (contract: BridgeContract, level: number, index: number): Uint8Array =>
  concatBytes(ofContract(NODE_PREFIX, contract), Uint8Array.of(level), uint32ToBytes(index))

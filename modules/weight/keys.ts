/** Keys of the weight store. */
import { type Address, moduleAddress } from '../../core/address.ts'

export const WEIGHT_ADDRESS: Address = moduleAddress('weight')

/** The limit of a block, 8 bytes. */
export const MAX_BLOCK_WEIGHT_KEY = Uint8Array.of(0x01)

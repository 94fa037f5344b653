/** Keys of the tally store. */
import { type Address, moduleAddress } from '../../../core/address.ts'

export const TALLY_ADDRESS: Address = moduleAddress('tally')

/** max_step, 8 bytes. */
export const MAX_STEP_KEY = Uint8Array.of(0x00)
/** The sum and the number of blocks, 8 bytes each. */
export const TOTAL_KEY = Uint8Array.of(0x01)

/** Keys of the fee market's store. */
import { utf8ToBytes } from '../../core/bytes.ts'

/** Base fee of the next block, decimal text in anat. Written only when it changes. */
export const BASE_FEE_KEY = utf8ToBytes('base_fee')
/** Parameters, JSON. */
export const PARAMS_KEY = utf8ToBytes('params')

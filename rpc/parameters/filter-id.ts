/** Filter ids: any text; one that names no filter is not found. */
import type { Hex } from '../../core/hex.ts'
import { stringDecoder, type Decode } from './go-json.ts'

export const decodeFilterId = stringDecoder('rpc.ID') as Decode<Hex>

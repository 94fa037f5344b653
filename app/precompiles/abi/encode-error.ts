/** Solidity's Error(string): how a revert tells its reason. */
import { concatBytes } from '../../../core/bytes.ts'
import { string, tuple } from './types.ts'

const SELECTOR = Uint8Array.of(0x08, 0xc3, 0x79, 0xa0)
const reason = tuple({ reason: string })

export const encodeError = (text: string): Uint8Array => concatBytes(SELECTOR, reason.write({ reason: text }))

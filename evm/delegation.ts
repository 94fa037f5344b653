/** Delegation designators (EIP-7702): 0xef0100 and the address whose code runs. */
import { type Address, toAddress } from '../core/address.ts'
import { concatBytes } from '../core/bytes.ts'

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
const LENGTH = 23

/** The delegate that `code` names, or undefined when it is ordinary code. */
export const delegationOf = (code: Uint8Array): Address | undefined =>
  code.length === LENGTH && code[0] === PREFIX[0] && code[1] === PREFIX[1] && code[2] === PREFIX[2]
    ? toAddress(code.subarray(PREFIX.length))
    : undefined

export const delegationCode = (delegate: Address): Uint8Array => concatBytes(PREFIX, delegate)

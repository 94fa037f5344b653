/** One call or creation that runs. Frames are used again for later ones of the same depth. */
import { type Address, ZERO_ADDRESS } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { Code } from './code.ts'
import { NO_CODE } from './code.ts'
import type { Mark, AccountEntry } from './substate.ts'
import { type Limbs, WORD } from './words.ts'

/** Places of a frame's own words. */
export const ADDRESS_WORD = 0
export const CALLER_WORD = WORD
export const VALUE_WORD = 2 * WORD

export class Frame {
  /** 0 for the outermost frame. */
  readonly depth: number
  /** Address, caller and value, as their instructions push them. */
  readonly words: Limbs = new Int32Array(3 * WORD)
  /** The instruction that made the frame: CALL for the outermost call. */
  kind = 0
  code: Code = NO_CODE
  /** Whose storage and balance it is. */
  account: AccountEntry | undefined
  address: Address = ZERO_ADDRESS
  valueAnat = 0n
  input: Uint8Array = EMPTY_BYTES
  isStatic = false
  pc = 0
  /** The instruction that runs or failed. */
  opcode = 0
  /** Limb behind the top of the stack, and the one where it begins. */
  sp = 0
  stackBase = 0
  memoryBase = 0
  memorySize = 0
  gas = 0
  gasLimit = 0
  /** Returned by the last frame that it entered. */
  returnData: Uint8Array = EMPTY_BYTES
  /** What RETURN or REVERT gave back. */
  output: Uint8Array = EMPTY_BYTES
  /** Where its caller wants the output. */
  outputOffset = 0
  outputSize = 0
  /** End of the memory that the failing instruction could not pay for; only tracers look. */
  unpaidEnd = 0
  /** Gas that a call asked for which could not even pay for itself; only tracers look. */
  unpaidCall: bigint | undefined
  /** What a revert goes back to. */
  mark: Mark | undefined

  constructor(depth: number) {
    this.depth = depth
  }
}

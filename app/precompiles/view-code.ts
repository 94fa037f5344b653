/**
 * The contract of each view: it sends whatever it is called with on to the precompile that answers, with its caller. So a
 * view has code as any token has, and its calls are seen in traces; the precompile knows the denomination by who calls.
 */
import { concatBytes } from '../../core/bytes.ts'
import { hexToBytes } from '../../core/hex.ts'
import { precompileAddress } from '../../evm/precompile-addresses.ts'

export const VIEW_NUMBER = 0x902

/**
 * CALLVALUE, JUMPI to the end: it takes no coins. The call data to memory 32, its selector to 0, CALLER behind the selector, so that it
 * stands before the arguments; CALL with all gas and no value; then RETURN or REVERT with what came back.
 */
export const VIEW_CODE: Uint8Array = concatBytes(
  hexToBytes('0x34602d57365f60203760045f5f37336004525f5f366020015f5f61'),
  precompileAddress(VIEW_NUMBER).subarray(18),
  hexToBytes('0x5af13d5f5f3e6029573d5ffd5b3d5ff35b5f5ffd'),
)

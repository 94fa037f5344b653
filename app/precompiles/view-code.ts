/**
 * The contract of each view: it sends whatever it is called with on to the precompile that answers, with its caller in front. So a
 * view has code as any token has, and its calls are seen in traces; the precompile knows the denomination by who calls.
 */
import { concatBytes } from '../../core/bytes.ts'
import { hexToBytes } from '../../core/hex.ts'
import { precompileAddress } from '../../evm/precompile-addresses.ts'

export const VIEW_NUMBER = 0x902

/**
 * CALLVALUE, JUMPI to the end: it takes no coins. CALLER to memory 0, the call data behind it; CALL with all gas and no value; then
 * RETURN or REVERT with what came back.
 */
export const VIEW_CODE: Uint8Array = concatBytes(
  hexToBytes('0x34602757335f52365f6020375f5f'),
  hexToBytes('0x366020015f5f61'),
  precompileAddress(VIEW_NUMBER).subarray(18),
  hexToBytes('0x5af13d5f5f3e6023573d5ffd5b3d5ff35b5f5ffd'),
)

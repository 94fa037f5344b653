/**
 * The address that stands for the native coin where a token's address is asked for (ERC-7528). Nobody has its key: what
 * were sent to it would be lost, and it looks like a place to send to. So a contract stands there that refuses all calls;
 * what SELFDESTRUCT would leave to it is refused beside it (evm/native-precompiles.ts).
 */
import { type Address, parseAddress } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'
import { encodeError } from './abi/encode-error.ts'

export const NATIVE_TOKEN: Address = parseAddress('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE')

/** What it reverts with. */
export const NATIVE_TOKEN_REFUSAL: Uint8Array = encodeError(
  'this address names the native token: it takes no coins and has no methods',
)

/** PUSH1 length, PUSH1 10, PUSH0, CODECOPY, PUSH1 length, PUSH0, REVERT, then the reason. */
export const NATIVE_TOKEN_CODE: Uint8Array = concatBytes(
  Uint8Array.of(0x60, NATIVE_TOKEN_REFUSAL.length, 0x60, 10, 0x5f, 0x39, 0x60, NATIVE_TOKEN_REFUSAL.length, 0x5f, 0xfd),
  NATIVE_TOKEN_REFUSAL,
)

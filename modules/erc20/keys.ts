/** Keys of the converter's store. Its account is the escrow. */
import { type Address, ADDRESS_LENGTH, moduleAddress } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'

/** Holds the tokens of all contracts. */
export const ERC20_ADDRESS: Address = moduleAddress('erc20')

/** RLP of the parameters; absent where they are the defaults. */
export const PARAMS_KEY = Uint8Array.of(0x01)

export const TOKEN_PREFIX = Uint8Array.of(0x02)
/** RLP [name, symbol, decimals, deposits enabled, measured, height of it]. */
export const tokenKey = (token: Address): Uint8Array => concatBytes(TOKEN_PREFIX, token)

/** 0x01 while tokens are being moved; never there between transactions. */
export const LOCK_KEY = Uint8Array.of(0x03)

export const VIEW_PREFIX = Uint8Array.of(0x04)
/** The denomination that the contract at the address shows. */
export const viewKey = (view: Address): Uint8Array => concatBytes(VIEW_PREFIX, view)

export const ALLOWANCE_PREFIX = Uint8Array.of(0x05)
/** An amount, big-endian without leading zeros; absent where it is zero. */
export const allowanceKey = (view: Address, owner: Address, spender: Address): Uint8Array =>
  concatBytes(ALLOWANCE_PREFIX, view, owner, spender)

/** View, owner and spender of the key of an allowance. */
export const partsOfAllowance = (key: Uint8Array): readonly [Address, Address, Address] => {
  const part = (index: number): Address => key.slice(1 + index * ADDRESS_LENGTH, 1 + (index + 1) * ADDRESS_LENGTH)
  return [part(0), part(1), part(2)]
}

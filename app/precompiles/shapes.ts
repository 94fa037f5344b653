/** Structs that several precompiles share, and how messages fill them. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Address, ZERO_ADDRESS } from '../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import { DECIMAL_PLACES, truncate } from '../../core/decimal.ts'
import type { pagination } from '../../proto/index.ts'
import { bool, bytes, string, tuple, uint256, uint64, uint8, type ValueOf } from './abi/types.ts'
import { refuseCall } from './errors.ts'

export const coin = tuple({ denom: string, amount: uint256 })
export const decCoin = tuple({ denom: string, amount: uint256, precision: uint8 })
/** `value` has `precision` places. */
export const dec = tuple({ value: uint256, precision: uint8 })
export const pageRequest = tuple({ key: bytes, offset: uint64, limit: uint64, countTotal: bool, reverse: bool })
export const pageResponse = tuple({ nextKey: bytes, total: uint64 })

/** A coin as messages carry it. */
interface TextCoin {
  readonly denom: string
  readonly amount: string
}

const PRECISION = BigInt(DECIMAL_PLACES)

export const toCoin = ({ denom, amount }: TextCoin): ValueOf<typeof coin> => ({ denom, amount: BigInt(amount) })

/** Whole units under a precision of 18: so cosmos/evm answers, and contracts are written against it. */
export const toDecCoin = ({ denom, amount }: TextCoin): ValueOf<typeof decCoin> => ({
  denom,
  amount: truncate(BigInt(amount)),
  precision: PRECISION,
})

/** Makes a decimal of an integer of 10^-18 parts. */
export const toDec = (scaled: string): ValueOf<typeof dec> => ({ value: BigInt(scaled), precision: PRECISION })

const bytewise = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Coins of a message, which must be sorted there. Throws for a coin without a denomination. */
export const fromCoins = (coins: readonly ValueOf<typeof coin>[], refusal: string): TextCoin[] =>
  coins
    .map(({ denom, amount }) => {
      if (denom === '') throw refuseCall(refusal)
      return { denom, amount: amount.toString() }
    })
    .sort((a, b) => bytewise(a.denom, b.denom))

export const fromPage = (page: ValueOf<typeof pageRequest>): MessageInitShape<typeof pagination.PageRequestSchema> =>
  page

export const toPage = (page: pagination.PageResponse | undefined): ValueOf<typeof pageResponse> => ({
  nextKey: page?.nextKey ?? new Uint8Array(0),
  total: page?.total ?? 0n,
})

export const isZeroAddress = (address: Address): boolean => equalBytes(address, ZERO_ADDRESS)

/** The bech32 form of an address that must be given: the refusal ends in the address. */
export const requireAddress = (address: Address, what: string): string => {
  if (isZeroAddress(address)) throw refuseCall(`invalid ${what} address: 0x0000000000000000000000000000000000000000`)
  return encodeBech32(address)
}

/** The address of an account that a message names; the empty text is nobody. */
export const toAddressOrZero = (text: string): Address => (text === '' ? ZERO_ADDRESS : parseAccountAddress(text))

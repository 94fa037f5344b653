/** Addresses of Ethereum's precompiled contracts at each fork. */
import type { Address } from '../core/address.ts'
import type { Hardfork } from './engine.ts'

/** Cancun ends with the KZG point evaluation; Prague adds BLS12-381 (EIP-2537), Osaka P256VERIFY (EIP-7951). */
const LAST: Readonly<Record<Hardfork, number>> = { cancun: 0x0a, prague: 0x11, osaka: 0x11 }
const P256_VERIFY = 0x100

/** The address of a precompile by its number, which the last two bytes hold. */
export const precompileAddress = (number: number): Address => {
  const out = new Uint8Array(20)
  out[18] = number >> 8
  out[19] = number & 0xff
  return out
}

const listOf = (hardfork: Hardfork): readonly Address[] => {
  const numbers = Array.from({ length: LAST[hardfork] }, (_, index) => index + 1)
  if (hardfork === 'osaka') numbers.push(P256_VERIFY)
  return numbers.map(precompileAddress)
}

export const PRECOMPILE_ADDRESSES: Readonly<Record<Hardfork, readonly Address[]>> = {
  cancun: listOf('cancun'),
  prague: listOf('prague'),
  osaka: listOf('osaka'),
}

export const isPrecompile = (hardfork: Hardfork, address: Address): boolean => {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false
  const number = ((address[18] as number) << 8) | (address[19] as number)
  return (number > 0 && number <= LAST[hardfork]) || (number === P256_VERIFY && hardfork === 'osaka')
}

/** The last two bytes of an address that has no others. */
export const numberOfPrecompile = (address: Address): number => ((address[18] as number) << 8) | (address[19] as number)

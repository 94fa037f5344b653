/** Names that contracts give themselves: bounded, and of letters that every client shows alike. */
import type { Address } from '../../core/address.ts'
import { bytesToBigint, bytesToUtf8 } from '../../core/bytes.ts'
import type { DenomDescription } from './deps.ts'
import { denomOf } from './denom.ts'

const WORD = 32

/** Most characters. */
export const MOST = { name: 64, symbol: 24 } as const
/** So many digits has 2^256: no honest token has more decimals. */
export const MAX_DECIMALS = 77

const sizeAt = (output: Uint8Array, at: number): number => {
  const size = bytesToBigint(output.subarray(at, at + WORD))
  return size > BigInt(output.length) ? output.length : Number(size)
}

/** A string, or a bytes32 as the oldest tokens have it. */
const bytesOf = (output: Uint8Array, most: number): Uint8Array => {
  if (output.length <= WORD) return output
  const at = sizeAt(output, 0)
  const length = sizeAt(output, at)
  return output.subarray(at + WORD, at + WORD + (length < most ? length : most))
}

/**
 * Printable ASCII alone. Which other letters exist, and what they look like, differs between versions of Unicode, and this is part
 * of consensus; what shows nothing or turns the text around would deceive. Each other letter is a question mark.
 */
export const plainText = (text: string, most: number): string => {
  let out = ''
  for (const letter of text) {
    if (letter === '\0') break
    out += letter >= ' ' && letter <= '~' ? letter : '?'
  }
  return out.trim().slice(0, most).trim()
}

/** Nothing where the contract says nothing that can be read. */
export const readText = (
  field: keyof typeof MOST,
  output: Uint8Array | undefined,
): { readonly [Field in keyof typeof MOST]?: string } => {
  const most = MOST[field]
  // Four bytes are the most that a letter has.
  const text = output === undefined ? '' : plainText(bytesToUtf8(bytesOf(output, 4 * most)), most)
  return text === '' ? {} : { [field]: text }
}

export const readDecimals = (output: Uint8Array | undefined): { readonly decimals?: number } => {
  if (output === undefined || output.length < WORD) return {}
  const decimals = bytesToBigint(output.subarray(0, WORD))
  return decimals > BigInt(MAX_DECIMALS) ? {} : { decimals: Number(decimals) }
}

/** The symbol of a contract that says nothing. */
export const DEFAULT_SYMBOL = 'ERC20'

/**
 * What the bank is told. Names and symbols may be those of other tokens, as everywhere; the unit that is displayed stands below the
 * denomination, so that no token is taken for another one by it.
 */
export const describe = (
  token: Address,
  { name, symbol, decimals }: { readonly name: string; readonly symbol: string; readonly decimals: number },
): DenomDescription => {
  const base = denomOf(token)
  const letters = symbol.replaceAll(/[^a-zA-Z0-9._-]/g, '')
  const display = decimals === 0 ? base : `${base}/${letters === '' ? DEFAULT_SYMBOL : letters}`
  return {
    base,
    description: `Tokens of the contract ${base.slice(6)}, held by the chain.`,
    name,
    symbol,
    decimals,
    display,
  }
}

/** Native addresses: bech32 with the prefixes of this chain. */
import { bech32 } from '@scure/base'
import { type Address, parseAddress, toAddress } from './address.ts'
import { BECH32_PREFIX } from './amounts.ts'
import { plainBytes } from './bytes.ts'
import { CodedError } from './errors.ts'

/** `nat1...` for accounts; `prefix` for operators and consensus keys. */
export const encodeBech32 = (bytes: Uint8Array, prefix: string = BECH32_PREFIX): string =>
  bech32.encode(prefix, bech32.toWords(bytes), 90)

/** Decodes an address with the given prefix. Throws core/5. */
export const decodeBech32 = (text: string, prefix: string = BECH32_PREFIX): Uint8Array => {
  try {
    const decoded = bech32.decode(text as `${string}1${string}`, 90)
    if (decoded.prefix === prefix) return plainBytes(bech32.fromWords(decoded.words))
  } catch (error) {
    throw new CodedError('core', 5, `invalid bech32 address ${text.slice(0, 100)}: ${(error as Error).message}`)
  }
  throw new CodedError('core', 5, `invalid bech32 address ${text.slice(0, 100)}: the prefix must be ${prefix}`)
}

/** An account address in either form: 0x and forty digits, or nat1... Throws core/1, core/2 or core/5. */
export const parseAccountAddress = (text: string): Address =>
  text.startsWith('0x') ? parseAddress(text) : toAddress(decodeBech32(text))

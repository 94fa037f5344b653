/** Native addresses: bech32 with the prefixes of this chain. */
import { bech32 } from '@scure/base'
import { type Address, parseAddress, toAddress } from './address.ts'
import { BECH32_PREFIX } from './amounts.ts'
import { equalBytes, plainBytes } from './bytes.ts'
import { coreError, invariant } from './errors.ts'

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const
/** What the five bits that fall out of the checksum add to it. */
const REMAINDERS = Int32Array.from({ length: 32 }, (_, top) =>
  GENERATORS.reduce((sum, generator, bit) => (((top >> bit) & 1) === 1 ? sum ^ generator : sum), 0),
)
const CHECKSUM_WORDS = 6
const MAX_LENGTH = 90
const SEPARATOR = 0x31

/** A text while it is written: nothing is kept in it. */
const scratch = Buffer.alloc(MAX_LENGTH)

/** BIP-173's checksum, one word further. */
const extend = (checksum: number, word: number): number =>
  ((checksum & 0x1ffffff) << 5) ^ word ^ (REMAINDERS[checksum >>> 25] ?? 0)

/** The checksum of a prefix, which its words go on from. */
const startChecksum = (prefix: string): number => {
  let checksum = 1
  for (let at = 0; at < prefix.length; at++) checksum = extend(checksum, prefix.charCodeAt(at) >> 5)
  checksum = extend(checksum, 0)
  for (let at = 0; at < prefix.length; at++) checksum = extend(checksum, prefix.charCodeAt(at) & 31)
  return checksum
}

const encode = (bytes: Uint8Array, prefix: string): string => {
  const words = Math.ceil((bytes.length * 8) / 5)
  const length = prefix.length + 1 + words + CHECKSUM_WORDS
  invariant(length <= MAX_LENGTH, `bech32 of ${length} characters`)
  let checksum = startChecksum(prefix)
  let written = scratch.write(prefix, 'latin1')
  scratch[written++] = SEPARATOR
  for (let at = 0; at < words; at++) {
    // Five bits that lie in one byte or in two; behind the last byte there are zeros.
    const first = (at * 5) >> 3
    const pair = ((bytes[first] ?? 0) << 8) | (bytes[first + 1] ?? 0)
    const word = (pair >> (11 - ((at * 5) & 7))) & 31
    checksum = extend(checksum, word)
    scratch[written++] = ALPHABET.charCodeAt(word)
  }
  for (let word = 0; word < CHECKSUM_WORDS; word++) checksum = extend(checksum, 0)
  checksum ^= 1
  for (let shift = 25; shift >= 0; shift -= 5) scratch[written++] = ALPHABET.charCodeAt((checksum >>> shift) & 31)
  return scratch.toString('latin1', 0, written)
}

interface Encoded {
  readonly bytes: Uint8Array
  readonly prefix: string
  readonly text: string
}

/** The events of a transaction name the same few addresses again and again: these were the last. */
const RECENT = 4
const recent: Encoded[] = []
let oldest = 0

/** `nat1...` for accounts; `prefix` for operators and consensus keys. */
export const encodeBech32 = (bytes: Uint8Array, prefix: string = BECH32_PREFIX): string => {
  for (const each of recent) if (each.prefix === prefix && equalBytes(each.bytes, bytes)) return each.text
  const text = encode(bytes, prefix)
  recent[oldest] = { bytes: new Uint8Array(bytes), prefix, text }
  oldest = (oldest + 1) % RECENT
  return text
}

const WORDS = new Int8Array(128).fill(-1)
for (let word = 0; word < ALPHABET.length; word++) WORDS[ALPHABET.charCodeAt(word)] = word

/**
 * What nearly every address is, lower case and correct, in a fifth of the library's time. Undefined for all else, of
 * which the library judges.
 */
const decodePlain = (text: string, prefix: string): Uint8Array | undefined => {
  const from = prefix.length + 1
  const end = text.length - CHECKSUM_WORDS
  if (text.length > MAX_LENGTH || end < from || !text.startsWith(prefix) || text[prefix.length] !== '1')
    return undefined
  const bytes = new Uint8Array(((end - from) * 5) >> 3)
  let checksum = startChecksum(prefix)
  let [held, bits, filled] = [0, 0, 0]
  for (let at = from; at < text.length; at++) {
    const word = WORDS[text.charCodeAt(at)] ?? -1
    if (word < 0) return undefined
    checksum = extend(checksum, word)
    if (at >= end) continue
    held = (held << 5) | word
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[filled++] = held >> bits
    held &= (1 << bits) - 1
  }
  // Bits that make no byte are fewer than a word, and zeros.
  return checksum === 1 && bits < 5 && held === 0 ? bytes : undefined
}

/** Decodes an address with the given prefix. Throws core/5. */
export const decodeBech32 = (text: string, prefix: string = BECH32_PREFIX): Uint8Array => {
  const plain = decodePlain(text, prefix)
  if (plain !== undefined) return plain
  try {
    const decoded = bech32.decode(text as `${string}1${string}`, MAX_LENGTH)
    if (decoded.prefix === prefix) return plainBytes(bech32.fromWords(decoded.words))
  } catch {
    // The text is our own: contracts can read it, and a library's text changes with its version.
    const fault = text === '' ? 'it is empty' : 'its length, characters or checksum are wrong'
    throw coreError('bech32', `invalid bech32 address ${text.slice(0, 100)}: ${fault}`)
  }
  throw coreError('bech32', `invalid bech32 address ${text.slice(0, 100)}: the prefix must be ${prefix}`)
}

/** An account address in either form: 0x and forty digits, or nat1... Throws core/1, core/2 or core/5. */
export const parseAccountAddress = (text: string): Address =>
  text.startsWith('0x') ? parseAddress(text) : toAddress(decodeBech32(text))

/** Recursive length prefix encoding (Ethereum Yellow Paper, appendix B), strict on decoding. */
import { errorTable } from './error-table.ts'
import { CodedError } from './errors.ts'

export type RlpInput = Uint8Array | readonly RlpInput[]
export type RlpItem = Uint8Array | RlpItem[]

/** Lists nested deeper than this are refused: nothing on this chain needs more than five levels. */
const MAX_RLP_DEPTH = 64

const headerLength = (length: number): number => {
  if (length < 56) return 1
  let bytes = 0
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return 1 + bytes
}

const isSingleByte = (input: Uint8Array): boolean => input.length === 1 && (input[0] as number) < 0x80

const payloadLength = (list: readonly RlpInput[]): number => {
  let length = 0
  for (const item of list) length += encodedLength(item)
  return length
}

/** The length in bytes that {@link encodeRlp} would give. */
export const encodedLength = (input: RlpInput): number => {
  if (input instanceof Uint8Array) return isSingleByte(input) ? 1 : headerLength(input.length) + input.length
  const payload = payloadLength(input)
  return headerLength(payload) + payload
}

const writeHeader = (out: Uint8Array, at: number, length: number, base: number): number => {
  if (length < 56) {
    out[at] = base + length
    return at + 1
  }
  const size = headerLength(length) - 1
  out[at] = base + 55 + size
  let rest = length
  for (let i = size; i > 0; i--) {
    out[at + i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return at + 1 + size
}

const writeItem = (out: Uint8Array, at: number, input: RlpInput): number => {
  if (input instanceof Uint8Array) {
    if (isSingleByte(input)) {
      out[at] = input[0] as number
      return at + 1
    }
    const start = writeHeader(out, at, input.length, 0x80)
    out.set(input, start)
    return start + input.length
  }
  let position = writeHeader(out, at, payloadLength(input), 0xc0)
  for (const item of input) position = writeItem(out, position, item)
  return position
}

export const encodeRlp = (input: RlpInput): Uint8Array => {
  const out = new Uint8Array(encodedLength(input))
  writeItem(out, 0, input)
  return out
}

/** The envelope of EIP-2718: the type before the list, which stands alone for type 0. */
export const encodeEnvelope = (type: number, input: RlpInput): Uint8Array => {
  if (type === 0) return encodeRlp(input)
  const out = new Uint8Array(1 + encodedLength(input))
  out[0] = type
  writeItem(out, 1, input)
  return out
}

/** Wraps items that are RLP already into a list. */
export const encodeRlpList = (encodedItems: readonly Uint8Array[]): Uint8Array => {
  let payload = 0
  for (const item of encodedItems) payload += item.length
  const out = new Uint8Array(headerLength(payload) + payload)
  let position = writeHeader(out, 0, payload, 0xc0)
  for (const item of encodedItems) {
    out.set(item, position)
    position += item.length
  }
  return out
}

export const RLP_ERRORS = errorTable('rlp', 'Bytes that are not RLP. Clients see it in the words of what they sent.', {
  malformed: {
    code: 1,
    text: 'rlp: ...',
    cause: 'The bytes are not the one canonical RLP encoding of a value, or are nested too deeply.',
    action: 'Encode the value anew.',
  },
})

const fail = (message: string): never => {
  throw new CodedError('rlp', RLP_ERRORS.codes.malformed, `rlp: ${message}`)
}

interface Header {
  readonly list: boolean
  readonly start: number
  readonly end: number
}

const readHeader = (input: Uint8Array, at: number, limit: number): Header => {
  const first = at < limit ? (input[at] as number) : fail('value size exceeds available input length')
  if (first < 0x80) return { list: false, start: at, end: at + 1 }
  const list = first >= 0xc0
  const short = first - (list ? 0xc0 : 0x80)
  if (short < 56) {
    const end = at + 1 + short
    if (end > limit) fail('value size exceeds available input length')
    if (!list && short === 1 && (input[at + 1] as number) < 0x80) fail('non-canonical size information')
    return { list, start: at + 1, end }
  }
  const size = short - 55
  const start = at + 1 + size
  if (start > limit) fail('value size exceeds available input length')
  if (input[at + 1] === 0) fail('non-canonical size information')
  if (size > 6) fail('value size exceeds available input length')
  let length = 0
  for (let i = at + 1; i < start; i++) length = length * 256 + (input[i] as number)
  if (length < 56) fail('non-canonical size information')
  if (start + length > limit) fail('value size exceeds available input length')
  return { list, start, end: start + length }
}

const readItem = (input: Uint8Array, header: Header, depth: number): RlpItem => {
  if (!header.list) return input.subarray(header.start, header.end)
  if (depth >= MAX_RLP_DEPTH) fail('lists nested too deep')
  const items: RlpItem[] = []
  let position = header.start
  while (position < header.end) {
    const next = readHeader(input, position, header.end)
    items.push(readItem(input, next, depth + 1))
    position = next.end
  }
  return items
}

/** Decodes exactly one item; the byte strings are views into `input`. Throws rlp/1. */
export const decodeRlp = (input: Uint8Array): RlpItem => {
  const header = readHeader(input, 0, input.length)
  if (header.end !== input.length) fail('input contains more than one value')
  return readItem(input, header, 0)
}

/** Gives the items of a list one by one without decoding them: each is still RLP, a view into `input`. Throws rlp/1. */
export function* rlpListItems(input: Uint8Array): Generator<Uint8Array> {
  const header = readHeader(input, 0, input.length)
  if (!header.list || header.end !== input.length) fail('expected one list')
  for (let position = header.start; position < header.end; ) {
    const { end } = readHeader(input, position, header.end)
    yield input.subarray(position, end)
    position = end
  }
}

/** Splits a list of at most `maxItems` into its items without decoding them: each is still RLP. Throws rlp/1. */
export const splitRlpList = (input: Uint8Array, maxItems = Number.POSITIVE_INFINITY): Uint8Array[] => {
  const items: Uint8Array[] = []
  for (const item of rlpListItems(input)) {
    if (items.length >= maxItems) fail(`more than ${maxItems} items`)
    items.push(item)
  }
  return items
}

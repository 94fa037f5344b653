/** How gRPC writes messages, statuses and times on HTTP/2. See PROTOCOL-HTTP2.md of grpc. */

/** u8 flag, which is 1 for a compressed message, and u32 length of the bytes that follow. */
export const PREFIX_BYTES = 5

/** Requests may come in these encodings; answers are never compressed. */
export const ACCEPTED_ENCODINGS = 'identity,deflate,gzip'

/** Bytes with a prefix: one uncompressed message. */
export const frameMessage = (bytes: Uint8Array): Buffer => {
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length)
  framed[0] = 0
  framed.writeUInt32BE(bytes.length, 1)
  framed.set(bytes, PREFIX_BYTES)
  return framed
}

/**
 * Messages are of protobuf, which needs no suffix. A suffix may be the name of a client's codec of protobuf, as
 * `+cosmos-sdk-grpc-codec`; JSON is another format, and gRPC-Web another type.
 */
const TYPE = /^application\/grpc(?:\+(?!json\s*(?:;|$))[^\s;]+)?\s*(?:;|$)/i

export const isGrpcType = (contentType: string | undefined): boolean =>
  contentType === 'application/grpc' || TYPE.test(contentType ?? '')

/** Characters of an encoded text: it fits into the 8 KiB of headers that clients take at least. */
const MAX_STATUS_CHARACTERS = 4_096

/** All of printable ASCII but the percent sign stands for itself. */
const PLAIN = /^[ -$&-~]*$/

const encodeCharacter = (character: string): string =>
  PLAIN.test(character)
    ? character
    : [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** HTTP/2 does not take spaces at the ends of a header. */
const encodeOuterSpaces = (text: string): string => text.replaceAll(/^ +| +$/g, (spaces) => '%20'.repeat(spaces.length))

/** Percent-encoded UTF-8, as gRPC writes texts of statuses into headers; what is too long for one is cut. */
export const encodeStatusText = (text: string): string => {
  if (text.length <= MAX_STATUS_CHARACTERS && PLAIN.test(text)) return encodeOuterSpaces(text)
  let encoded = ''
  for (const character of text) {
    const next = encodeCharacter(character)
    if (encoded.length + next.length > MAX_STATUS_CHARACTERS) break
    encoded += next
  }
  return encodeOuterSpaces(encoded)
}

const TIMEOUT = /^(\d{1,8})\s*([HMSmun])$/
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 }
/** What a timer of Node takes: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Milliseconds of a grpc-timeout; undefined for what is none. */
export const parseTimeout = (text: string): number | undefined => {
  const [, digits, unit = ''] = TIMEOUT.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  if (digits === undefined || unitMs === undefined) return undefined
  return Math.min(MAX_TIMER_MS, Math.floor(Number(digits) * unitMs))
}

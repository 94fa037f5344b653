/** Frames of HTTP/2 by hand (RFC 9113): a client library would not send what an attacker sends. */

export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const
export const END_STREAM = 0x1
export const END_HEADERS = 0x4
export const SETTING = { headerTableSize: 1, initialWindowSize: 4 } as const
export const CANCEL = Buffer.from([0, 0, 0, 8])
export const WIDE_WINDOW = Buffer.from([0x3f, 0xff, 0, 0])

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export interface FrameHead {
  readonly type: number
  readonly flags?: number
  readonly stream?: number
}

export const frame = ({ type, flags = 0, stream = 0 }: FrameHead, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const settings = (values: readonly (readonly [id: number, value: number])[] = []): Buffer => {
  const payload = Buffer.alloc(6 * values.length)
  for (const [index, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, 6 * index)
    payload.writeUInt32BE(value, 6 * index + 2)
  }
  return frame({ type: FRAME.settings }, payload)
}

/** What a client says first. */
export const hello = (values: readonly (readonly [id: number, value: number])[] = []): Buffer =>
  Buffer.concat([PREFACE, settings(values)])

/** A string literal without Huffman's code (RFC 7541, 5.2); lengths up to 254. */
const literal = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const head = bytes.length < 127 ? [bytes.length] : [127, bytes.length - 127]
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Fields that are never indexed. */
export const fields = (entries: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(entries.map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)])))

export const grpcFields = (path: string): Buffer =>
  fields([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', '127.0.0.1'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ])

/** A message with the five bytes that gRPC puts before it. */
export const grpcMessage = (body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(body.length, 1)
  return Buffer.concat([head, body])
}

/**
 * Frames of the stream between gateway and application, in both directions:
 * u32 length of what follows, u8 kind, u32 id of the question (0 where there is none), body in UTF-8.
 * The body of an answer is the text of a JSON-RPC result, so a gateway never parses it.
 */
import { LONG_TEXT, type Text } from '../../core/text.ts'
import { rpcError } from '../errors.ts'

export const FRAME = {
  /** The first frame either way: {@link PROTOCOL}. */
  hello: 1,
  /** `[name, parameters, head, client, connection]` */
  ask: 2,
  /** The text of the result. */
  answer: 3,
  /** `{codespace, code, message, data?}` */
  failure: 4,
  /** `Announcement` of app/ports.ts. */
  announcement: 5,
  /** Nobody waits for the answer to the question any more. */
  cancel: 6,
  /** Where both know a secret, between the two hellos: the application's number and proof, then the gateway's proof. */
  proof: 7,
  /**
   * A long question: `[name, head, client, connection, block]`, a line feed, and its parameters, which the application hands
   * on as they are.
   */
  askLong: 8,
} as const

export const PROTOCOL = 'nat-query/4'
/** What a gateway says that asks and listens to no announcements. */
export const PROTOCOL_WITHOUT_NEWS = `${PROTOCOL}/asks`

/** Bytes of the first line of a long question. */
const MAX_LINE_BYTES = 4 * 1024
const LINE_FEED = 0x0a

const LENGTH_BYTES = 4
const HEADER_BYTES = 5
const PREFIX_BYTES = LENGTH_BYTES + HEADER_BYTES

export interface Frame {
  readonly kind: number
  readonly id: number
  /** What is long comes as its bytes: nobody reads it here. */
  readonly body: Text
}

/** What stands before a body whose bytes are there already. */
export const encodeFrameHead = (kind: number, id: number, length: number): Buffer => {
  const head = Buffer.allocUnsafe(PREFIX_BYTES)
  head.writeUInt32BE(HEADER_BYTES + length, 0)
  head.writeUInt8(kind, LENGTH_BYTES)
  head.writeUInt32BE(id, LENGTH_BYTES + 1)
  return head
}

export const encodeFrame = (kind: number, id: number, body: string): Buffer => {
  const length = Buffer.byteLength(body)
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + length)
  frame.writeUInt32BE(HEADER_BYTES + length, 0)
  frame.writeUInt8(kind, LENGTH_BYTES)
  frame.writeUInt32BE(id, LENGTH_BYTES + 1)
  frame.write(body, PREFIX_BYTES)
  return frame
}

/** `line` has no line feed. */
export const encodeLongQuestion = (id: number, line: string, parameters: string): Buffer => {
  const lineLength = Buffer.byteLength(line)
  const length = lineLength + 1 + Buffer.byteLength(parameters)
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + length)
  encodeFrameHead(FRAME.askLong, id, length).copy(frame)
  frame.write(line, PREFIX_BYTES)
  frame[PREFIX_BYTES + lineLength] = LINE_FEED
  frame.write(parameters, PREFIX_BYTES + lineLength + 1)
  return frame
}

const bytesOf = (body: Text): Buffer =>
  typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)

const lineEnd = (bytes: Buffer): number => {
  const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf(LINE_FEED)
  if (end < 0) throw rpcError('protocol', 'a long question without a first line')
  return end
}

/** The first line of a long question, without a copy of the rest. Throws rpc/protocol where no line ends. */
export const firstLine = (body: Text): string => {
  const bytes = bytesOf(body)
  return bytes.toString('utf8', 0, lineEnd(bytes))
}

/** Parts the body of a long question; the parameters have memory of their own. Throws rpc/protocol where no line ends. */
export const splitLongQuestion = (body: Text): { readonly line: string; readonly parameters: Uint8Array } => {
  const bytes = bytesOf(body)
  const end = lineEnd(bytes)
  return { line: bytes.toString('utf8', 0, end), parameters: new Uint8Array(bytes.subarray(end + 1)) }
}

export interface FrameReader {
  /** The frames that `chunk` completes, in order. Throws rpc/protocol for a length out of bounds. */
  push(chunk: Buffer): Frame[]
}

/** `maxFrameBytes` may grow with what is known of who sends. */
export const createFrameReader = (maxFrameBytes: () => number): FrameReader => {
  let chunks: Buffer[] = []
  let available = 0
  // Bytes without which nothing new can be read: pieces of a long frame are joined once, not at every chunk.
  let needed = PREFIX_BYTES

  const readLength = (buffer: Buffer, offset: number): number => {
    const length = buffer.readUInt32BE(offset)
    const most = maxFrameBytes()
    if (length < HEADER_BYTES || length > most) {
      throw rpcError('protocol', `a frame of ${length} bytes, allowed are ${HEADER_BYTES} to ${most}`)
    }
    return LENGTH_BYTES + length
  }

  return {
    push(chunk) {
      chunks.push(chunk)
      available += chunk.length
      const frames: Frame[] = []
      if (available < needed) return frames
      const buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks, available)
      let offset = 0
      needed = PREFIX_BYTES
      while (buffer.length - offset >= needed) {
        const size = readLength(buffer, offset)
        if (buffer.length - offset < size) {
          needed = size
          break
        }
        const kind = buffer.readUInt8(offset + LENGTH_BYTES)
        const [from, to] = [offset + PREFIX_BYTES, offset + size]
        const isLong = kind === FRAME.askLong || (kind === FRAME.answer && to - from > LONG_TEXT)
        const body = isLong ? buffer.subarray(from, to) : buffer.toString('utf8', from, to)
        frames.push({ kind, id: buffer.readUInt32BE(offset + LENGTH_BYTES + 1), body })
        offset += size
      }
      available = buffer.length - offset
      chunks = available === 0 ? [] : [buffer.subarray(offset)]
      return frames
    },
  }
}

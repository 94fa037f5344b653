/** Frames of ABCI's socket protocol: a uvarint length (protobuf varint, low groups first), then that many bytes. */
import { concatBytes, EMPTY_BYTES } from '../core/bytes.ts'
import type { CodedError } from '../core/errors.ts'
import { MAX_GENESIS_BYTES } from '../core/limits.ts'
import { protocolError } from './errors.ts'

/** InitChain with the largest genesis; CometBFT's bound for a block, and blocks of this chain, are smaller. */
export const MAX_FRAME_BYTES = MAX_GENESIS_BYTES + 1024 * 1024
/** What a frame that spans chunks gets at once, if it is so long: a block of thousands of transactions has room in it. */
const FIRST_BYTES = 2 * 1024 * 1024
/** Go's binary.MaxVarintLen64: a length in more bytes is malformed. */
const MAX_LENGTH_BYTES = 10

export interface FrameDecoder {
  /**
   * The messages that `chunk` completes, in order. They are views into the chunks pushed, which must not change.
   * Throws abci/1 (too large) or abci/2 (malformed length), after the messages before it, and on every later push.
   */
  push(chunk: Uint8Array): Generator<Uint8Array, void, undefined>
}

export const createFrameDecoder = (maxFrameBytes: number = MAX_FRAME_BYTES): FrameDecoder => {
  let failure: CodedError | undefined
  // The length, while its bytes come in; then the body of a frame that spans chunks.
  let lengthBytes = 0
  let length = 0
  let inBody = false
  let body: Uint8Array = EMPTY_BYTES
  let filled = 0

  const readLengthByte = (byte: number): void => {
    // Exact up to 2^53, far above any limit; past it the value is only compared with the limit.
    length += (byte & 0x7f) * 2 ** (7 * lengthBytes)
    lengthBytes++
    if (length > maxFrameBytes) {
      failure = protocolError('frameTooLarge', `a frame of ${length} bytes passes the limit of ${maxFrameBytes}`)
    } else if (byte < 0x80) {
      inBody = true
      lengthBytes = 0
    } else if (lengthBytes === MAX_LENGTH_BYTES) {
      failure = protocolError('malformedLength', `a frame length of more than ${MAX_LENGTH_BYTES} bytes`)
    }
    if (failure !== undefined) throw failure
  }

  // Grows with what arrives: little is allocated on the word of a length alone.
  const append = (piece: Uint8Array): void => {
    if (filled + piece.length > body.length) {
      const grown = new Uint8Array(Math.min(length, Math.max(FIRST_BYTES, 2 * body.length, filled + piece.length)))
      grown.set(body.subarray(0, filled))
      body = grown
    }
    body.set(piece, filled)
    filled += piece.length
  }

  const finish = (frame: Uint8Array): Uint8Array => {
    inBody = false
    length = 0
    body = EMPTY_BYTES
    filled = 0
    return frame
  }

  return {
    *push(chunk) {
      if (failure !== undefined) throw failure
      let position = 0
      while (position < chunk.length || (inBody && length === 0)) {
        if (!inBody) {
          readLengthByte(chunk[position++] as number)
          continue
        }
        const piece = chunk.subarray(position, position + length - filled)
        position += piece.length
        if (piece.length === length) {
          yield finish(piece)
          continue
        }
        append(piece)
        if (filled === length) yield finish(body)
      }
    },
  }
}

/** A varint of protobuf, below 2^53: the length before the body of a frame is one. */
export const encodeVarint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

export const encodeFrame = (message: Uint8Array): Uint8Array => concatBytes(encodeVarint(message.length), message)

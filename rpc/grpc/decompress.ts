/** Compressed messages of gRPC. */
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { CodedError } from '../../core/errors.ts'
import { ACCEPTED_ENCODINGS } from './message.ts'
import { GRPC } from './status.ts'

/** What gRPC calls deflate is zlib's format (RFC 1950). */
const DECOMPRESS = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
])

/** A message of some kilobytes becomes one as long as may be: of the whole server only so many are decompressed at once. */
const MAX_AT_ONCE = 4

const isTooLong = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

export interface Decompression {
  readonly bytes: Buffer
  /** The header grpc-encoding. */
  readonly encoding: string | undefined
  /** The decompressed message has at most so many bytes. */
  readonly maxBytes: number
  /** Asked when it is its turn: a message whose client has gone is left as it is. */
  isWanted(): boolean
}

export class Decompressor {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Rejects with grpc/12 for an unknown encoding, grpc/13 for bytes that are not of it, grpc/8 for too many. */
  async decompress({ bytes, encoding, maxBytes, isWanted }: Decompression): Promise<Buffer> {
    if (encoding === undefined || encoding === 'identity') {
      throw new CodedError('grpc', GRPC.internal, 'Received compressed message without an encoding')
    }
    const run = DECOMPRESS.get(encoding)
    if (run === undefined) {
      const text = `Received message compressed with unsupported encoding "${encoding}", accepted: ${ACCEPTED_ENCODINGS}`
      throw new CodedError('grpc', GRPC.unimplemented, text)
    }
    if (this.#running === MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return isWanted() ? await run(bytes, { maxOutputLength: maxBytes }) : bytes
    } catch (error) {
      if (isTooLong(error)) {
        const text = `Received message that decompresses to a size larger than ${maxBytes}`
        throw new CodedError('grpc', GRPC.resourceExhausted, text)
      }
      throw new CodedError('grpc', GRPC.internal, 'Failed to decompress message')
    } finally {
      // A turn passes on to the next in line.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}

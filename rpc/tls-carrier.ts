/**
 * What carries TLS from a socket to where it is read, in slices and in turns. OpenSSL reads all that it is given at a stretch, and
 * a read of a socket may be 2 MB: that are 80,000 records that hold nothing (key updates, RFC 8446 section 4.6.3) or a byte each, and seconds of
 * a thread, of which nothing but the records tells.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type BucketBounds, LeakyBucket } from './leaky-bucket.ts'
import type { Turns } from './turns.ts'

/** A slice of records that are as small as can be takes some 4 ms. */
const SLICE_BYTES = 4 * 1024
const HEADER_BYTES = 5

/** Records that hold next to nothing. */
const RECORDS: BucketBounds = { atOnce: 512, perSecond: 256 }
/** So many bytes that were read, or written, forgive one record: frames of HTTP/2 have 13 bytes and more, and a client says of each part of an answer that it goes on. */
const READ_PER_RECORD = 16
const WRITTEN_PER_RECORD = 4 * 1024

/** Bytes of what TLS carries. */
type Contents = Pick<Socket, 'bytesRead' | 'bytesWritten'>

/** Counts records (RFC 8446, section 5.1) in what passes. */
class Records {
  readonly #bucket = new LeakyBucket(RECORDS)
  #countedContents = 0
  /** Bytes of the record that has begun which are still to come. */
  #rest = 0
  /** Bytes of a header that has begun, and the length in it as far as it is known. */
  #headerBytes = 0
  #length = 0

  /** Takes note of bytes, when so much was read and written in all. False where too many held nothing. */
  take(bytes: Uint8Array, { bytesRead, bytesWritten }: Contents): boolean {
    const contents = bytesRead / READ_PER_RECORD + bytesWritten / WRITTEN_PER_RECORD
    this.#bucket.forgive(contents - this.#countedContents)
    this.#countedContents = contents
    return this.#bucket.add(this.#begunIn(bytes))
  }

  #begunIn(bytes: Uint8Array): number {
    let begun = 0
    let place = 0
    while (place < bytes.length) {
      if (this.#rest > 0) {
        const passed = Math.min(this.#rest, bytes.length - place)
        this.#rest -= passed
        place += passed
        continue
      }
      this.#length = (this.#length * 256 + (bytes[place] ?? 0)) % 65_536
      place++
      this.#headerBytes++
      if (this.#headerBytes < HEADER_BYTES) continue
      begun++
      this.#headerBytes = 0
      this.#rest = this.#length
    }
    return begun
  }
}

export interface CarrierOptions {
  /** Whose turn it is on this thread: what comes of a socket waits there under the socket. */
  readonly turns: Turns
  /** What was read and written over TLS so far. */
  readonly contents: () => Contents
  /** Too many records held nothing: the socket is ended. */
  readonly onFlood: () => void
}

export class TlsCarrier extends Duplex {
  readonly #socket: Socket
  readonly #options: CarrierOptions
  readonly #records = new Records()
  #unread: Buffer = Buffer.alloc(0)
  #isWanted = false
  #isWaiting = false
  #hasEnded = false

  constructor(socket: Socket, options: CarrierOptions) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.#options = options
    socket.on('data', (chunk: Buffer) => {
      // Node reads up to thirty-two times in a row otherwise.
      socket.pause()
      this.#unread = chunk
      this.#pass()
    })
    socket.on('end', () => {
      this.#hasEnded = true
      this.#pass()
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  override _read(): void {
    this.#isWanted = true
    this.#pass()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.cork()
    for (const [index, { chunk }] of chunks.entries()) {
      if (index === chunks.length - 1) this.#socket.write(chunk, done)
      else this.#socket.write(chunk)
    }
    this.#socket.uncork()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#unread = Buffer.alloc(0)
    this.#socket.destroy()
    done(error)
  }

  /** Has the next slice take its turn, where somebody wants it. */
  #pass(): void {
    if (!this.#isWanted || this.#isWaiting || this.destroyed) return
    if (this.#unread.length === 0) {
      if (this.#hasEnded) this.push(null)
      else if (this.#socket.isPaused()) this.#socket.resume()
      return
    }
    this.#isWaiting = true
    // What comes in more slices than one is no single question.
    const length = this.#unread.length > SLICE_BYTES / 2 ? SLICE_BYTES : this.#unread.length
    this.#options.turns.run(this.#socket, length, () => this.#passSlice())
  }

  #passSlice(): void {
    this.#isWaiting = false
    if (this.destroyed) return
    const slice = this.#unread.subarray(0, SLICE_BYTES)
    this.#unread = this.#unread.subarray(slice.length)
    if (!this.#records.take(slice, this.#options.contents())) {
      this.#options.onFlood()
      this.destroy()
      return
    }
    this.#isWanted = this.push(slice)
    this.#pass()
  }
}

/** Messages of gRPC from the chunks of a stream, in bounded memory. */
import { CodedError } from '../../core/errors.ts'
import type { MemoryShare } from '../memory-budget.ts'
import type { ByteBudget } from './byte-budget.ts'
import { PREFIX_BYTES } from './message.ts'
import { GRPC } from './status.ts'

export interface GrpcMessage {
  readonly isCompressed: boolean
  readonly bytes: Buffer
}

/**
 * Bytes of an unfinished message that are held whatever the budget says: so the largest cannot keep small ones out.
 * A frame of HTTP/2 has as many, and a stream never has more than one such message.
 */
const SMALL_BYTES = 16 * 1024

const NOTHING = Buffer.alloc(0)

/** Throws grpc/13 for flags that gRPC does not know. */
const isCompressedFlag = (flag: number): boolean => {
  if (flag > 1) throw new CodedError('grpc', GRPC.internal, `Received message with unknown flags ${flag}`)
  return flag === 1
}

/**
 * A message that one chunk holds is a view of it. Any other holds as much memory as has come, doubled at most: a prefix
 * that announces much costs nothing, and no chunk is kept, for a view of one byte holds all that the socket read.
 */
export class MessageReader {
  readonly #maxBytes: number
  readonly #budget: ByteBudget
  readonly #share: MemoryShare
  #chunk: Buffer = NOTHING
  #at = 0
  #prefix: Buffer | undefined
  #prefixLength = 0
  #body: Buffer = NOTHING
  #bodyLength = 0
  #taken = 0

  constructor(maxBytes: number, budget: ByteBudget, share: MemoryShare) {
    this.#maxBytes = maxBytes
    this.#budget = budget
    this.#share = share
  }

  /**
   * Whether a message has begun that is not complete. The answer is of use once {@link next} has returned undefined.
   */
  get isWithin(): boolean {
    return this.#prefixLength > 0
  }

  /** The chunk before must have been read to its end. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /** Undefined when the next message is not complete. Throws grpc/8 for one that is too long, grpc/13 for wrong flags. */
  next(): GrpcMessage | undefined {
    const chunk = this.#chunk
    const at = this.#at
    if (at === chunk.length) return this.#drop()
    if (this.#prefixLength === 0 && chunk.length - at >= PREFIX_BYTES) {
      const isCompressed = isCompressedFlag(chunk.readUInt8(at))
      const start = at + PREFIX_BYTES
      const end = start + this.#check(chunk.readUInt32BE(at + 1))
      if (end <= chunk.length) {
        this.#at = end
        return { isCompressed, bytes: chunk.subarray(start, end) }
      }
    }
    return this.#collect() ?? this.#drop()
  }

  /** Gives back what the budget was charged, also for the messages that were returned, and forgets an unfinished one. */
  release(): void {
    this.#budget.give(this.#taken, this.#share)
    this.#taken = 0
    this.#forget()
  }

  #check(length: number): number {
    if (length <= this.#maxBytes) return length
    const text = `Received message larger than max (${length} vs ${this.#maxBytes})`
    throw new CodedError('grpc', GRPC.resourceExhausted, text)
  }

  /** A message of several chunks. */
  #collect(): GrpcMessage | undefined {
    this.#prefix ??= Buffer.alloc(PREFIX_BYTES)
    const prefix = this.#prefix
    this.#prefixLength += this.#move(prefix, this.#prefixLength, PREFIX_BYTES)
    if (this.#prefixLength < PREFIX_BYTES) return undefined
    const isCompressed = isCompressedFlag(prefix.readUInt8(0))
    const length = this.#check(prefix.readUInt32BE(1))
    this.#reserve(length)
    this.#bodyLength += this.#move(this.#body, this.#bodyLength, length)
    if (this.#bodyLength < length) return undefined
    const bytes = this.#body
    this.#forget()
    return { isCompressed, bytes }
  }

  /** The chunk was read to its end: held on, it would hold all that the socket read. */
  #drop(): undefined {
    this.#chunk = NOTHING
    this.#at = 0
  }

  #forget(): void {
    this.#body = NOTHING
    this.#bodyLength = 0
    this.#prefixLength = 0
  }

  /** Copies of the chunk what `target` still lacks of `end` bytes, and tells how much that was. */
  #move(target: Buffer, from: number, end: number): number {
    const moved = this.#chunk.copy(target, from, this.#at, Math.min(this.#chunk.length, this.#at + end - from))
    this.#at += moved
    return moved
  }

  /** Makes room for what the chunk has of a message of `length` bytes. */
  #reserve(length: number): void {
    const needed = Math.min(length, this.#bodyLength + this.#chunk.length - this.#at)
    if (needed <= this.#body.length) return
    const size = Math.min(length, Math.max(SMALL_BYTES, 2 * needed))
    const more = Math.max(0, size - SMALL_BYTES) - this.#taken
    if (more > 0 && !this.#budget.take(more, this.#share)) {
      const text = 'too many unfinished requests are held, try again'
      throw new CodedError('grpc', GRPC.resourceExhausted, text)
    }
    this.#taken += Math.max(0, more)
    // Memory of its own, none of the pool that other buffers share.
    const body = Buffer.allocUnsafeSlow(size)
    this.#body.copy(body, 0, 0, this.#bodyLength)
    this.#body = body
  }
}

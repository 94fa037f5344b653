/**
 * The content of a chunk, before it is compressed: entries of keyLength(2) valueLength(4) key value, strictly
 * ascending over all chunks. The first byte of a key is its section: code comes before the accounts that name it,
 * accounts before their storage.
 */
import { compareBytes, readUint32 } from '../../core/bytes.ts'
import type { Entry } from '../store.ts'
import { snapshotError } from './errors.ts'

/** Most bytes of content. Compressed it stays below the 4 MiB that ABCI over gRPC takes, whatever it holds. */
export const MAX_CHUNK_CONTENT_BYTES = 3 * 1024 * 1024
/** Most bytes of a compressed chunk: content that does not compress grows by less than this margin. */
export const MAX_CHUNK_BYTES = MAX_CHUNK_CONTENT_BYTES + 64 * 1024

const HEADER_BYTES = 6
const MAX_KEY_BYTES = 4_096

export const CODE_SECTION = 1
export const STATE_SECTION = 2
/** Parts of the snapshot's block, in the application's own words. */
export const BLOCK_SECTION = 3

/** Cuts a stream of entries into contents. */
export class ChunkBuilder {
  readonly #buffer: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(maxBytes = MAX_CHUNK_CONTENT_BYTES) {
    this.#buffer = new Uint8Array(maxBytes)
  }

  /** False when the entry does not fit any more: take the content, then add it again. Throws snapshot/6. */
  add(section: number, key: Uint8Array, value: Uint8Array): boolean {
    const keyLength = 1 + key.length
    const size = HEADER_BYTES + keyLength + value.length
    if (keyLength > MAX_KEY_BYTES || size > this.#buffer.length) {
      throw snapshotError('tooLarge', `an entry of ${size} bytes does not fit into a snapshot`)
    }
    if (this.#length + size > this.#buffer.length) return false
    const out = this.#buffer
    const view = new DataView(out.buffer)
    view.setUint16(this.#length, keyLength)
    view.setUint32(this.#length + 2, value.length)
    out[this.#length + HEADER_BYTES] = section
    out.set(key, this.#length + HEADER_BYTES + 1)
    out.set(value, this.#length + HEADER_BYTES + keyLength)
    this.#length += size
    return true
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** What was added since the last time. A view: it holds until the next entry is added. */
  take(): Uint8Array {
    const content = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    return content
  }
}

const fail = (what: string): never => {
  throw snapshotError('content', `a chunk of the snapshot is damaged: ${what}`)
}

/**
 * The entries of a content, whose first key must be above `after`. Keys come with their section, and both are views.
 * Throws snapshot/3.
 */
export function* readChunk(content: Uint8Array, after: Uint8Array): Generator<Entry, void, void> {
  if (content.length > MAX_CHUNK_CONTENT_BYTES) fail(`${content.length} bytes`)
  if (content.length === 0) fail('it is empty')
  let last = after
  let at = 0
  while (at < content.length) {
    if (at + HEADER_BYTES > content.length) fail('it is cut short')
    const keyLength = ((content[at] as number) << 8) | (content[at + 1] as number)
    const valueAt = at + HEADER_BYTES + keyLength
    const end = valueAt + readUint32(content, at + 2)
    if (keyLength < 2 || keyLength > MAX_KEY_BYTES || end > content.length) fail('an entry has an impossible length')
    const key = content.subarray(at + HEADER_BYTES, valueAt)
    if (compareBytes(last, key) >= 0) fail('its entries are not in order')
    yield [key, content.subarray(valueAt, end)]
    last = key
    at = end
  }
}

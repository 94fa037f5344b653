/** Reads RLP item by item, as geth's rlp.Stream does: what is wrong is found in the same place, with the same words. */
import type { CodedError } from '../../core/errors.ts'
import { evmError } from '../errors.ts'

export const malformed = (message: string): CodedError => evmError('malformedTransaction', `rlp: ${message}`)

/** Adds what was being decoded to a message; geth does so for some of its errors only. */
export type Wrap = (message: string) => CodedError

export interface ItemHeader {
  readonly kind: 'byte' | 'string' | 'list'
  /** Bytes of content. An item of kind `byte` is its own content. */
  readonly size: number
}

export const CANON_SIZE = 'non-canonical size information'

export class RlpStream {
  readonly #bytes: Uint8Array
  #position = 0
  /** Bytes left in each open list. */
  readonly #left: number[] = []
  #header: ItemHeader | undefined

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The item ahead, or undefined at the end of the list that is open. */
  peek(wrap: Wrap): ItemHeader | undefined {
    if (this.#header !== undefined) return this.#header
    const limit = this.#left.at(-1)
    if (limit === 0) return undefined
    const header = this.#readHeader(wrap)
    if (limit !== undefined && header.size > limit) throw malformed('element is larger than containing list')
    if (header.size > this.#bytes.length - this.#position) throw malformed('value size exceeds available input length')
    this.#header = header
    return header
  }

  /** Enters the list ahead; false at the end of the list around it. */
  open(wrap: Wrap): boolean {
    const header = this.peek(wrap)
    if (header === undefined) return false
    if (header.kind !== 'list') throw wrap('expected input list')
    const outer = this.#left.length - 1
    if (outer >= 0) this.#left[outer] = (this.#left[outer] as number) - header.size
    this.#left.push(header.size)
    this.#header = undefined
    return true
  }

  close(wrap: Wrap): void {
    if (this.#left.at(-1) !== 0) throw wrap('input list has too many elements')
    this.#left.pop()
  }

  /** The content of the item that {@link peek} showed. A string of one byte below 0x80 is not checked here. */
  take({ kind, size }: ItemHeader): Uint8Array {
    this.#header = undefined
    if (kind === 'byte') return this.#bytes.subarray(this.#position - 1, this.#position)
    return this.#read(size)
  }

  /** Refuses bytes after the item that was read. */
  finish(): void {
    if (this.#position < this.#bytes.length) throw malformed('input contains more than one value')
  }

  #readHeader(wrap: Wrap): ItemHeader {
    this.#advance(1)
    const first = this.#bytes[this.#position - 1] as number
    if (first < 0x80) return { kind: 'byte', size: 0 }
    const kind = first < 0xc0 ? 'string' : 'list'
    const short = first - (kind === 'string' ? 0x80 : 0xc0)
    if (short < 56) return { kind, size: short }
    const bytes = this.#read(short - 55)
    if (bytes[0] === 0) throw wrap(CANON_SIZE)
    // Sizes beyond 2^53 lose digits and are refused all the same: no input is as long.
    let size = 0
    for (const byte of bytes) size = size * 256 + byte
    if (size < 56) throw wrap(CANON_SIZE)
    return { kind, size }
  }

  #read(length: number): Uint8Array {
    this.#advance(length)
    return this.#bytes.subarray(this.#position - length, this.#position)
  }

  #advance(length: number): void {
    const list = this.#left.length - 1
    if (list >= 0) {
      const left = this.#left[list] as number
      if (length > left) throw malformed('element is larger than containing list')
      this.#left[list] = left - length
    }
    if (length > this.#bytes.length - this.#position) throw malformed('value size exceeds available input length')
    this.#position += length
  }
}

/** Strings of one byte below 0x80 stand for themselves. */
export const isUselessHeader = ({ kind }: ItemHeader, content: Uint8Array): boolean =>
  kind === 'string' && content.length === 1 && (content[0] as number) < 0x80

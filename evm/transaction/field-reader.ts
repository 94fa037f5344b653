/** Reads the fields of an RLP list as geth's typed decoder does: same strictness, same order, same texts. */
import { toAddress, type Address } from '../../core/address.ts'
import { bytesToBigint } from '../../core/bytes.ts'
import type { CodedError } from '../../core/errors.ts'
import { CANON_SIZE, isUselessHeader, type ItemHeader, malformed, type RlpStream, type Wrap } from './rlp-stream.ts'

/** `type` is Go's name of the type, `path` where it stands: `(types.LegacyTx).To`. */
const wrapper =
  (type: string, path: string): Wrap =>
  (message) =>
    malformed(`${message} for ${type}, decoding into ${path}`)

/** A byte array of Go: undefined at the end of the list. */
export const readFixed = (stream: RlpStream, type: string, path: string, length: number): Uint8Array | undefined =>
  readBytes(stream, wrapper(type, path), length)

const readBytes = (stream: RlpStream, wrap: Wrap, length: number): Uint8Array | undefined => {
  const header = stream.peek(malformed)
  if (header === undefined) return undefined
  if (header.kind === 'list') throw wrap('expected input string or byte')
  const size = header.kind === 'byte' ? 1 : header.size
  if (size > length) throw wrap('input string too long')
  if (size < length) throw wrap('input string too short')
  return stream.take(header)
}

export class FieldReader {
  readonly #stream: RlpStream
  /** Go's name of the struct, and where it stands: `(types.LegacyTx)` or `(types.SetCodeTx).AuthList[0]`. */
  readonly #type: string
  readonly #path: string

  private constructor(stream: RlpStream, type: string, path: string) {
    this.#stream = stream
    this.#type = type
    this.#path = path
  }

  /** Enters the list ahead. Throws evm/malformedTransaction when it is none. */
  static outermost(stream: RlpStream, type: string): FieldReader {
    stream.open((message) => malformed(`${message} for ${type}`))
    return new FieldReader(stream, type, `(${type})`)
  }

  /** The same within a list; undefined at its end. */
  static element(stream: RlpStream, type: string, path: string): FieldReader | undefined {
    return stream.open(wrapper(type, path)) ? new FieldReader(stream, type, path) : undefined
  }

  /** Refuses items after the last field. */
  end(): void {
    this.#stream.close(this.#wrapSelf)
  }

  uint(field: string, bits: 8 | 64): bigint {
    const wrap = this.#wrap(`uint${bits}`, field)
    const header = this.#string(wrap)
    if (header.size > bits / 8) throw wrap('input string too long')
    const bytes = this.#stream.take(header)
    if (bytes[0] === 0 && (header.kind === 'byte' || bytes.length > 1)) throw wrap(LEADING_ZEROS)
    if (isUselessHeader(header, bytes)) throw wrap(CANON_SIZE)
    return bytesToBigint(bytes)
  }

  /** An integer without a bound of its own. */
  bigInteger(field: string): bigint {
    return this.#integer(this.#wrap('*big.Int', field), Number.POSITIVE_INFINITY)
  }

  uint256(field: string): bigint {
    return this.#integer(this.#wrap('*uint256.Int', field), 32)
  }

  bytes(field: string): Uint8Array {
    const wrap = this.#wrap('[]uint8', field)
    const header = this.#string(wrap)
    const bytes = this.#stream.take(header)
    if (isUselessHeader(header, bytes)) throw wrap(CANON_SIZE)
    return bytes
  }

  address(field: string): Address {
    const bytes = readBytes(this.#stream, this.#wrap('common.Address', field), 20)
    if (bytes === undefined) throw this.#tooFew()
    return toAddress(bytes)
  }

  /** The empty string is no address: the transaction creates a contract. */
  optionalAddress(field: string): Address | undefined {
    const wrap = this.#wrap('*common.Address', field)
    const header = this.#stream.peek(wrap)
    if (header === undefined) throw this.#tooFew()
    if (header.kind === 'byte' || header.size > 0) return this.address(field)
    if (header.kind === 'list') throw wrap('wrong kind of empty value (got List, want String)')
    this.#stream.take(header)
    return undefined
  }

  /** Reads elements until `read` finds the end of the list. */
  list<Element>(
    field: string,
    type: string,
    read: (stream: RlpStream, path: string) => Element | undefined,
  ): Element[] {
    const wrap = this.#wrap(type, field)
    if (!this.#stream.open(wrap)) throw this.#tooFew()
    const elements: Element[] = []
    for (;;) {
      const element = read(this.#stream, `${this.#path}.${field}[${elements.length}]`)
      if (element === undefined) break
      elements.push(element)
    }
    this.#stream.close(wrap)
    return elements
  }

  #integer(wrap: Wrap, maxBytes: number): bigint {
    const header = this.#string(wrap)
    if (header.size > maxBytes) throw malformed('value too large for uint256')
    const bytes = this.#stream.take(header)
    if (isUselessHeader(header, bytes)) throw wrap(CANON_SIZE)
    if (bytes[0] === 0) throw wrap(LEADING_ZEROS)
    return bytesToBigint(bytes)
  }

  #string(wrap: Wrap): ItemHeader {
    const header = this.#stream.peek(wrap)
    if (header === undefined) throw this.#tooFew()
    if (header.kind === 'list') throw wrap('expected input string or byte')
    return header
  }

  #tooFew(): CodedError {
    return this.#wrapSelf('too few elements')
  }

  /** The text is put together only when something is wrong: most transactions are well formed. */
  #wrap(type: string, field: string): Wrap {
    return (message) => wrapper(type, `${this.#path}.${field}`)(message)
  }

  readonly #wrapSelf: Wrap = (message) =>
    this.#path === `(${this.#type})`
      ? malformed(`${message} for ${this.#type}`)
      : malformed(`${message} for ${this.#type}, decoding into ${this.#path}`)
}

const LEADING_ZEROS = 'non-canonical integer (leading zero bytes)'

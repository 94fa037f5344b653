/** Reads the fields of an RLP list as geth's typed decoder does: same strictness, same texts. */
import { toAddress, type Address } from '../../core/address.ts'
import { bytesToBigint } from '../../core/bytes.ts'
import type { CodedError } from '../../core/errors.ts'
import type { RlpItem } from '../../core/rlp.ts'
import { evmError } from '../errors.ts'

const malformed = (message: string): CodedError => evmError('malformedTransaction', `rlp: ${message}`)

export class FieldReader {
  readonly #items: readonly RlpItem[]
  /** Go's name of the struct, and where it stands: `(types.LegacyTx)` or `(types.SetCodeTx).AuthList[0]`. */
  readonly #type: string
  readonly #path: string
  #next = 0

  /** Throws evm/malformedTransaction when `item` is not a list. */
  constructor(item: RlpItem, type: string, path?: string) {
    if (item instanceof Uint8Array) {
      throw malformed(`expected input list for ${type}${path === undefined ? '' : `, decoding into ${path}`}`)
    }
    this.#items = item
    this.#type = type
    this.#path = path ?? `(${type})`
  }

  /** Refuses items after the last field. */
  end(): void {
    if (this.#next !== this.#items.length) throw this.#failSelf('input list has too many elements')
  }

  uint(field: string, bits: 8 | 64): bigint {
    return this.#integer(field, `uint${bits}`, bits / 8)
  }

  /** An integer without a bound of its own. */
  bigInteger(field: string): bigint {
    return this.#integer(field, '*big.Int', Number.POSITIVE_INFINITY)
  }

  uint256(field: string, type = '*uint256.Int'): bigint {
    return this.#integer(field, type, 32)
  }

  bytes(field: string): Uint8Array {
    return this.#string(field, '[]uint8')
  }

  fixed(field: string, type: string, length: number): Uint8Array {
    const bytes = this.#string(field, type)
    if (bytes.length > length) throw this.#fail('input string too long', type, field)
    if (bytes.length < length) throw this.#fail('input string too short', type, field)
    return bytes
  }

  address(field: string): Address {
    return toAddress(this.fixed(field, 'common.Address', 20))
  }

  /** The empty string is no address: the transaction creates a contract. */
  optionalAddress(field: string): Address | undefined {
    const item = this.#items[this.#next]
    if (item instanceof Uint8Array && item.length === 0) {
      this.#next++
      return undefined
    }
    return this.address(field)
  }

  /** Reads every element of a list with `read`. */
  list<Element>(field: string, type: string, read: (item: RlpItem, path: string) => Element): Element[] {
    const item = this.#take()
    if (item instanceof Uint8Array) throw this.#fail('expected input list', type, field)
    return item.map((element, index) => read(element, `${this.#path}.${field}[${index}]`))
  }

  #integer(field: string, type: string, maxBytes: number): bigint {
    const bytes = this.#string(field, type)
    if (bytes.length > maxBytes) {
      throw maxBytes === 32
        ? malformed('value too large for uint256')
        : this.#fail('input string too long', type, field)
    }
    if (bytes[0] === 0) throw this.#fail('non-canonical integer (leading zero bytes)', type, field)
    return bytesToBigint(bytes)
  }

  #string(field: string, type: string): Uint8Array {
    const item = this.#take()
    if (!(item instanceof Uint8Array)) throw this.#fail('expected input string or byte', type, field)
    return item
  }

  #take(): RlpItem {
    const item = this.#items[this.#next++]
    if (item === undefined) throw this.#failSelf('too few elements')
    return item
  }

  #failSelf(message: string): CodedError {
    const nested = this.#path === `(${this.#type})` ? '' : `, decoding into ${this.#path}`
    return malformed(`${message} for ${this.#type}${nested}`)
  }

  #fail(message: string, type: string, field: string): CodedError {
    return malformed(`${message} for ${type}, decoding into ${this.#path}${field === '' ? '' : `.${field}`}`)
  }
}

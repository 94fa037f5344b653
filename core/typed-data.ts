/**
 * The digest of typed structured data (EIP-712) for what JSON can hold: texts, integers, booleans, structs and lists.
 * It is stricter than the standard asks: a struct has the members of its type, no more and no fewer, so that whoever
 * signs has signed all of it.
 */
import { bigintToBytes, concatBytes, padLeft, utf8ToBytes } from './bytes.ts'
import { type CodedError, coreError } from './errors.ts'
import { type Hash, keccak256 } from './hash.ts'

export interface TypedMember {
  readonly name: string
  /** `string`, `bool`, `intN`, `uintN` or the name of a struct, with `[]` behind it for a list. */
  readonly type: string
}

/** The members of each struct in the order in which they are hashed. */
export type TypedDataTypes = ReadonlyMap<string, readonly TypedMember[]>

export interface TypedData {
  readonly types: TypedDataTypes
  readonly primaryType: string
  /** A value of the type `EIP712Domain`. */
  readonly domain: unknown
  /** A value of the primary type. */
  readonly message: unknown
}

/** What a reference to a struct looks like. */
const STRUCT_NAME = /^[A-Za-z]\w*$/
const INTEGER_TYPE = /^(u?)int([1-9][0-9]{0,2})$/
/** Longer ones fit no type. */
const INTEGER = /^-?[0-9]{1,78}$/
const LIST = '[]'

const refuse = (what: string): CodedError => coreError('typedData', `typed data cannot hold ${what}`)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const word = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), 32)

const readInteger = (value: unknown): bigint => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'bigint') return value
  if (typeof value === 'string' && INTEGER.test(value)) return BigInt(value)
  throw refuse('an integer that is none')
}

const encodeInteger = (type: string, value: unknown): Uint8Array => {
  const [, unsigned, size] = INTEGER_TYPE.exec(type) ?? []
  const bits = Number(size ?? 0)
  if (bits === 0 || bits > 256 || bits % 8 !== 0) throw refuse(`a value of type ${type.slice(0, 100)}`)
  const integer = readInteger(value)
  const fits = unsigned === 'u' ? BigInt.asUintN(bits, integer) : BigInt.asIntN(bits, integer)
  if (fits !== integer) throw refuse(`${integer} as ${type}`)
  return word(BigInt.asUintN(256, integer))
}

class TypedDataHasher {
  readonly #types: TypedDataTypes
  readonly #texts: Map<string, Hash>
  /** The type hash by name of the struct. */
  readonly #typeHashes = new Map<string, Hash>()

  constructor(types: TypedDataTypes, texts: Map<string, Hash>) {
    this.#types = types
    this.#texts = texts
  }

  hashStruct(type: string, value: unknown): Hash {
    const members = this.#types.get(type) ?? []
    // Geth hashes the name of a struct without members in its own way, and wallets as the standard says.
    if (members.length === 0 || !STRUCT_NAME.test(type)) throw refuse(`a struct ${type.slice(0, 100)}`)
    if (!isRecord(value)) throw refuse(`a struct ${type} that is none`)
    if (Object.keys(value).length !== members.length) throw refuse(`a struct ${type} with other members`)
    const parts: Uint8Array[] = [this.#typeHash(type)]
    for (const member of members) {
      if (!Object.hasOwn(value, member.name)) throw refuse(`a struct ${type} without ${member.name}`)
      parts.push(this.#encode(member.type, value[member.name]))
    }
    return keccak256(concatBytes(...parts))
  }

  #encode(type: string, value: unknown): Uint8Array {
    if (type.endsWith(LIST)) {
      if (!Array.isArray(value)) throw refuse(`a list ${type.slice(0, 100)} that is none`)
      const item = type.slice(0, -LIST.length)
      return keccak256(concatBytes(...value.map((each: unknown) => this.#encode(item, each))))
    }
    if (this.#types.has(type)) return this.hashStruct(type, value)
    if (type === 'string' && typeof value === 'string') return this.#hashText(value)
    if (type === 'bool' && typeof value === 'boolean') return word(value ? 1n : 0n)
    return encodeInteger(type, value)
  }

  #hashText(text: string): Hash {
    const hash = this.#texts.get(text) ?? keccak256(utf8ToBytes(text))
    this.#texts.set(text, hash)
    return hash
  }

  #typeHash(type: string): Hash {
    const known = this.#typeHashes.get(type)
    if (known !== undefined) return known
    const referenced = new Set<string>()
    this.#collect(type, referenced)
    referenced.delete(type)
    const names = [type, ...[...referenced].sort((a, b) => (a < b ? -1 : 1))]
    const hash = keccak256(utf8ToBytes(names.map((name) => this.#printType(name)).join('')))
    this.#typeHashes.set(type, hash)
    return hash
  }

  #collect(type: string, found: Set<string>): void {
    if (found.has(type)) return
    found.add(type)
    for (const member of this.#types.get(type) ?? []) {
      const name = member.type.replaceAll(LIST, '')
      if (this.#types.has(name)) this.#collect(name, found)
    }
  }

  #printType(name: string): string {
    const members = this.#types.get(name) ?? []
    // If two members had one name, only one value would be signed.
    if (new Set(members.map((member) => member.name)).size !== members.length) throw refuse(`a member of ${name} twice`)
    return `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`
  }
}

const PREFIX = Uint8Array.of(0x19, 0x01)

/**
 * What is signed: keccak256(0x1901, domain, message). Throws core/9 where values and types do not agree. The work is
 * about the size of the message, and that of the types times the depth of their nesting. `texts` are hashes of texts that
 * several messages share.
 */
export const hashTypedData = (
  { types, primaryType, domain, message }: TypedData,
  texts = new Map<string, Hash>(),
): Hash => {
  const hasher = new TypedDataHasher(types, texts)
  return keccak256(PREFIX, hasher.hashStruct('EIP712Domain', domain), hasher.hashStruct(primaryType, message))
}

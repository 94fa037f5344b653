/**
 * What go-amino knows of the Cosmos SDK's transactions before protobuf (StdTx): structs by the fields of Go's types, which
 * follow from the definitions, and concrete types by their names. Both encodings, JSON and binary, are read off it.
 */
import { getOption, hasOption, ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { queryRefusal } from '../../../modules/sdk-errors.ts'
import { aminoOptions, ed25519, ethSecp256k1, gogoOptions, multisig, secp256k1 } from '../../../proto/index.ts'
import { DEFINITIONS } from '../definitions.ts'

export type AminoType =
  | { readonly kind: 'text' | 'bool' | 'bytes' | 'integer' | 'decimal' | 'time' }
  /** 64 bits are texts in JSON. */
  | { readonly kind: 'varint'; readonly bits: 32 | 64; readonly isSigned: boolean }
  | { readonly kind: 'struct'; readonly fields: readonly AminoField[] }
  /** An empty item of a list of pointers is null. An empty list of coins is [] in JSON, any other null. */
  | { readonly kind: 'list'; readonly item: AminoType; readonly ofPointers: boolean; readonly isCoins: boolean }
  /** A registered type: its name in JSON, its prefix in binary. */
  | { readonly kind: 'registered' }

export interface AminoField {
  /** Number of the field, from 1, in the order of Go's struct. */
  readonly number: number
  readonly name: string
  readonly type: AminoType
  /** Nothing is told from the zero value. */
  readonly isPointer: boolean
  readonly omitsEmpty: boolean
}

export interface RegisteredType {
  readonly name: string
  /** Four bytes. */
  readonly prefix: Uint8Array
  readonly type: AminoType
}

/** A value of the type of the same kind; undefined is what is not there. */
export type AminoValue =
  | string
  | boolean
  | bigint
  | Uint8Array
  | { readonly seconds: bigint; readonly nanos: number }
  | { readonly registered: RegisteredType; readonly value: AminoValue }
  | readonly (AminoValue | undefined)[]
  | ReadonlyMap<string, AminoValue>

export const refuseAmino = (text: string) => queryRefusal('unknown', text)

/**
 * Makes the prefix of a name as go-amino does: three bytes of its hash without leading zeros are left out, then zeros
 * again.
 */
const prefixOf = (name: string): Uint8Array => {
  const withoutZeros = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  return withoutZeros(withoutZeros(sha256(utf8ToBytes(name))).subarray(3)).slice(0, 4)
}

const TEXT: AminoType = { kind: 'text' }
const REGISTERED: AminoType = { kind: 'registered' }
const varint = (bits: 32 | 64, isSigned: boolean): AminoType => ({ kind: 'varint', bits, isSigned })

const SCALARS: ReadonlyMap<ScalarType, AminoType> = new Map([
  [ScalarType.STRING, TEXT],
  [ScalarType.BOOL, { kind: 'bool' }],
  [ScalarType.BYTES, { kind: 'bytes' }],
  [ScalarType.INT32, varint(32, true)],
  [ScalarType.UINT32, varint(32, false)],
  [ScalarType.INT64, varint(64, true)],
  [ScalarType.UINT64, varint(64, false)],
])

const CUSTOM_TYPES: Readonly<Record<string, AminoType>> = {
  'cosmossdk.io/math.Int': { kind: 'integer' },
  'cosmossdk.io/math.LegacyDec': { kind: 'decimal' },
}

const structs = new Map<DescMessage, AminoType>()

const itemType = (field: DescField): AminoType | undefined => {
  if (hasOption(field, gogoOptions.customtype)) return CUSTOM_TYPES[getOption(field, gogoOptions.customtype)]
  if (field.enum !== undefined) return varint(32, true)
  if (field.message === undefined) return field.scalar === undefined ? undefined : SCALARS.get(field.scalar)
  if (hasOption(field, gogoOptions.stdtime)) return { kind: 'time' }
  if (hasOption(field, gogoOptions.stdduration)) return varint(64, true)
  return field.message.typeName === 'google.protobuf.Any' ? REGISTERED : structOf(field.message)
}

const fieldOf = (field: DescField, index: number): AminoField => {
  const item = field.fieldKind === 'map' || field.oneof !== undefined ? undefined : itemType(field)
  if (item === undefined) throw refuseAmino(`amino cannot encode ${field.parent.typeName}.${field.name}`)
  const isNullable = !hasOption(field, gogoOptions.nullable) || getOption(field, gogoOptions.nullable)
  const isList = field.fieldKind === 'list'
  const isNative = field.message === undefined && !hasOption(field, gogoOptions.customtype)
  const tag = hasOption(field, gogoOptions.jsontag) ? getOption(field, gogoOptions.jsontag) : undefined
  const [name = ''] = tag?.split(',') ?? []
  return {
    number: index + 1,
    name: name === '' ? field.name : name,
    type: isList
      ? {
          kind: 'list',
          item,
          ofPointers: !isNative && isNullable,
          isCoins: hasOption(field, gogoOptions.castrepeated),
        }
      : item,
    isPointer: !isList && !isNative && isNullable,
    omitsEmpty: tag === undefined ? isNullable || (isList && isNative) : tag.endsWith(',omitempty'),
  }
}

const structOf = (desc: DescMessage): AminoType => {
  const known = structs.get(desc)
  if (known !== undefined) return known
  let fields: readonly AminoField[] | undefined
  // Read when they are needed: some definitions that nobody registers have what amino does not know.
  const made: AminoType = {
    kind: 'struct',
    get fields() {
      fields ??= desc.fields.map(fieldOf)
      return fields
    },
  }
  structs.set(desc, made)
  return made
}

const field = (number: number, name: string, type: AminoType, omitsEmpty = false): AminoField => ({
  number,
  name,
  type,
  isPointer: false,
  omitsEmpty,
})

const listOf = (item: AminoType, isCoins = false): AminoType => ({ kind: 'list', item, ofPointers: false, isCoins })

const COIN: AminoType = {
  kind: 'struct',
  fields: [field(1, 'denom', TEXT, true), field(2, 'amount', { kind: 'integer' })],
}

const STD_TX: AminoType = {
  kind: 'struct',
  fields: [
    field(1, 'msg', listOf(REGISTERED)),
    field(2, 'fee', {
      kind: 'struct',
      fields: [
        field(1, 'amount', listOf(COIN, true)),
        field(2, 'gas', varint(64, false)),
        field(3, 'payer', TEXT, true),
        field(4, 'granter', TEXT, true),
      ],
    }),
    field(
      3,
      'signatures',
      listOf({ kind: 'struct', fields: [field(1, 'pub_key', REGISTERED), field(2, 'signature', { kind: 'bytes' })] }),
    ),
    field(4, 'memo', TEXT),
    field(5, 'timeout_height', varint(64, false)),
  ],
}

const MULTISIG: AminoType = {
  kind: 'struct',
  fields: [field(1, 'threshold', varint(64, false)), field(2, 'pubkeys', listOf(REGISTERED))],
}

const KEYS: readonly DescMessage[] = [ed25519.PubKeySchema, ethSecp256k1.PubKeySchema, secp256k1.PubKeySchema]

const typeOf = (desc: DescMessage): AminoType => {
  if (desc === multisig.LegacyAminoPubKeySchema) return MULTISIG
  return KEYS.includes(desc) ? { kind: 'bytes' } : structOf(desc)
}

const register = (name: string, type: AminoType): RegisteredType => ({ name, prefix: prefixOf(name), type })

export const STD_TX_TYPE = register('cosmos-sdk/StdTx', STD_TX)

const REGISTERED_TYPES: readonly RegisteredType[] = [
  ...DEFINITIONS.filter((desc) => hasOption(desc, aminoOptions.name)).map((desc) =>
    register(getOption(desc, aminoOptions.name), typeOf(desc)),
  ),
  // cosmos/evm names it in its code alone.
  register('os/PubKeyEthSecp256k1', typeOf(ethSecp256k1.PubKeySchema)),
]

const byName = new Map(REGISTERED_TYPES.map((each) => [each.name, each]))
const byPrefix = new Map(REGISTERED_TYPES.map((each) => [each.prefix.join(), each]))

/** Throws grpc/2 for a name or a prefix that nobody registers. */
export const typeByName = (name: string): RegisteredType => {
  const found = byName.get(name)
  if (found === undefined) throw refuseAmino(`unrecognized concrete type name ${name.slice(0, 200)}`)
  return found
}

export const typeByPrefix = (prefix: Uint8Array): RegisteredType => {
  const found = byPrefix.get(prefix.join())
  if (found === undefined) throw refuseAmino(`unrecognized prefix bytes ${prefix.slice(0, 4).join(' ')}`)
  return found
}

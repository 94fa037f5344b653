/**
 * The older typed data of native transactions, which Keplr has a Ledger sign: the amino sign doc as it is, with the payer
 * named in its fee, and types that follow from the first message's definition. All messages are of one kind.
 */
import { getOption, hasOption, ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import type { Any } from '@bufbuild/protobuf/wkt'
import { type TypedData, type TypedMember } from '../../core/typed-data.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { ed25519, gogoOptions } from '../../proto/index.ts'
import { findDefinition } from './definitions.ts'
import type { PackedMessage } from './public-key.ts'
import { capitalize, FEE_MEMBERS, type JsonRecord, type SignDocument, typedDataOf } from './typed-data.ts'
import { parseBinary } from './wire.ts'

const refuse = (what: string) => sdkError('invalidRequest', `typed data cannot express ${what}`)

const MESSAGE_VALUE = 'MsgValue'

/** The names that Go gives to types of the same kinds. */
const SCALAR_TYPES: ReadonlyMap<ScalarType, string> = new Map([
  [ScalarType.STRING, 'string'],
  [ScalarType.BOOL, 'bool'],
  [ScalarType.INT32, 'int32'],
  [ScalarType.SINT32, 'int32'],
  [ScalarType.SFIXED32, 'int32'],
  [ScalarType.UINT32, 'uint32'],
  [ScalarType.FIXED32, 'uint32'],
  [ScalarType.INT64, 'int64'],
  [ScalarType.SINT64, 'int64'],
  [ScalarType.SFIXED64, 'int64'],
  [ScalarType.UINT64, 'uint64'],
  [ScalarType.FIXED64, 'uint64'],
])

/** What the options say of one field of a message. */
interface FieldPlan {
  readonly field: DescField
  readonly name: string
  /** The type of one value, where it is not a struct. */
  readonly type: string | undefined
  /** True for what is a struct itself in Go, which counts as absent while all within it is. */
  readonly isEmbedded: boolean
  readonly isDuration: boolean
}

const isMarked = (field: DescField, option: typeof gogoOptions.stdtime): boolean =>
  hasOption(field, option) && getOption(field, option)

const scalarTypeOf = (field: DescField): string | undefined => {
  // Integers and decimals of any size are texts in JSON.
  if (hasOption(field, gogoOptions.customtype)) return 'string'
  if (field.message !== undefined) {
    if (isMarked(field, gogoOptions.stdtime)) return 'string'
    return isMarked(field, gogoOptions.stdduration) ? 'int64' : undefined
  }
  if (field.enum !== undefined) return 'int32'
  // Bytes are a list of numbers in the types and a text in the document: nobody can sign them.
  const type = field.scalar === undefined ? undefined : SCALAR_TYPES.get(field.scalar)
  return type ?? 'uint8[]'
}

const planField = (field: DescField): FieldPlan => {
  const [name = ''] = hasOption(field, gogoOptions.jsontag) ? getOption(field, gogoOptions.jsontag).split(',') : []
  return {
    field,
    name: name === '' ? field.name : name,
    type: scalarTypeOf(field),
    isEmbedded: hasOption(field, gogoOptions.nullable) && !getOption(field, gogoOptions.nullable),
    isDuration: isMarked(field, gogoOptions.stdduration),
  }
}

const plans = new WeakMap<DescMessage, readonly FieldPlan[]>()

const planOf = (desc: DescMessage): readonly FieldPlan[] => {
  const known = plans.get(desc)
  if (known !== undefined) return known
  const made = desc.fields.map(planField)
  plans.set(desc, made)
  return made
}

const ANY = 'google.protobuf.Any'

/** Whether a field has the zero value in Go. */
const isAbsent = ({ field, type, isEmbedded, isDuration }: FieldPlan, message: ReflectMessage): boolean => {
  if (!message.isSet(field)) return true
  if (field.fieldKind !== 'message' || !isEmbedded) return false
  const value = message.get(field)
  if (isDuration) return value.fields.every((each) => !value.isSet(each))
  return type === undefined && planOf(value.desc).every((plan) => isAbsent(plan, value))
}

class LegacyTypes {
  readonly types = new Map<string, readonly TypedMember[]>()

  /** The type of what a field holds, where it is not absent. */
  #typeOf(plan: FieldPlan, message: ReflectMessage, path: string): string | undefined {
    const { field, type } = plan
    if (field.fieldKind === 'map' || field.oneof !== undefined)
      throw refuse(`${field.name} of ${message.desc.typeName}`)
    if (isAbsent(plan, message)) {
      if (field.fieldKind === 'message' && field.message.typeName === ANY) throw refuse(`a ${field.name} of nothing`)
      return undefined
    }
    if (field.fieldKind === 'list') {
      const [first] = message.get(field)
      const item = type ?? this.#struct(first as ReflectMessage, path)
      return `${item}[]`
    }
    if (type !== undefined || field.fieldKind !== 'message') return type
    return this.#struct(message.get(field), path)
  }

  /** Adds the type of a nested message under the name of its place. */
  #struct(message: ReflectMessage, path: string): string {
    if (message.desc.typeName === ANY) this.#packed(message.message as Any, path)
    else this.addMembers(message, path, path)
    return path
  }

  /** A packed message is its amino name and its value. */
  #packed({ typeUrl, value }: Any, path: string): void {
    const desc = findDefinition(typeUrl)
    if (desc === undefined) throw sdkError('parse', `unable to resolve type URL ${typeUrl.slice(0, 200)}`)
    this.#add(path, { name: 'type', type: 'string' })
    const inner = `${path}Value`
    // The one key whose value is a text by itself.
    const isText = desc === ed25519.PubKeySchema
    this.#add(path, { name: 'value', type: isText ? 'string' : inner })
    if (!isText) this.addMembers(reflect(desc, parseBinary(desc, value)), inner, inner)
  }

  #add(name: string, member: TypedMember): void {
    this.types.set(name, [...(this.types.get(name) ?? []), member])
  }

  /** `path` begins the names of the types within. */
  addMembers(message: ReflectMessage, name: string, path: string): void {
    const fields = planOf(message.desc)
    // What was there before with all its members stays.
    if (this.types.get(name)?.length === fields.length) return
    for (const plan of fields) {
      const type = this.#typeOf(plan, message, path + capitalize(plan.name))
      if (type !== undefined) this.#add(name, { name: plan.name, type })
    }
  }
}

const TX_MEMBERS: readonly TypedMember[] = [
  { name: 'account_number', type: 'string' },
  { name: 'chain_id', type: 'string' },
  { name: 'fee', type: 'Fee' },
  { name: 'memo', type: 'string' },
  { name: 'msgs', type: 'Msg[]' },
  { name: 'sequence', type: 'string' },
]

const messageType = ({ type }: JsonRecord): string => String(type)

/**
 * `feePayer` is the first signer. `ofOneKind` asks for messages of one amino name, and that they have one: the typed data
 * of the extension does not. Throws sdk/2 and sdk/18.
 */
export const legacyTypedData = (
  document: SignDocument,
  messages: readonly PackedMessage[],
  evmChainId: bigint,
  feePayer: string,
  ofOneKind: boolean,
): TypedData => {
  const [first] = messages
  const name = messageType(document.msgs[0] ?? {})
  if (ofOneKind && (name.startsWith('/') || document.msgs.some((each) => messageType(each) !== name))) {
    throw refuse('messages of several kinds')
  }
  const desc = findDefinition(first?.typeUrl ?? '')
  if (first === undefined || desc === undefined) throw refuse('no message')
  const types = new LegacyTypes()
  types.addMembers(reflect(desc, parseBinary(desc, first.value)), MESSAGE_VALUE, 'Type')
  if (!types.types.has(MESSAGE_VALUE)) types.types.set(MESSAGE_VALUE, [])
  types.types.set('Msg', [
    { name: 'type', type: 'string' },
    { name: 'value', type: MESSAGE_VALUE },
  ])
  const message = { ...document, fee: { ...document.fee, feePayer } }
  const fee = [{ name: 'feePayer', type: 'string' }, ...FEE_MEMBERS]
  return typedDataOf(message, evmChainId, fee, TX_MEMBERS, types.types)
}

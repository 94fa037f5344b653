/**
 * Native transactions as the typed data (EIP-712) that Ethereum's wallets show and sign, in cosmos/evm's form: the amino
 * sign doc with its messages as members `msg0`, `msg1` and so on, of types that follow from the document itself. The
 * node derives it from the transaction; nothing of it comes from whoever sent it.
 */
import { bytesToUtf8 } from '../../core/bytes.ts'
import { type TypedData, type TypedDataTypes, type TypedMember } from '../../core/typed-data.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { txSigning } from '../../proto/index.ts'
import type { NativeTransaction } from './decode-transaction.ts'
import { MAX_TYPED_DATA_DEPTH, MAX_TYPED_DATA_VALUES } from './limits.ts'
import { type SignerData, signBytesOf } from './sign-bytes.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

/** A StdSignDoc, read again: in the order of Tx, and with what it may have beside. */
export interface SignDocument extends JsonRecord {
  readonly fee: JsonRecord
  readonly msgs: readonly JsonRecord[]
}

/** The values within, itself included. Throws sdk/18 for more, or deeper ones, than are hashed. */
const countValues = (value: unknown, room: number, depth: number): number => {
  if (room <= 0 || depth > MAX_TYPED_DATA_DEPTH) throw sdkError('invalidRequest', 'too much for typed data')
  let count = 1
  if (typeof value !== 'object' || value === null) return count
  for (const each of Object.values(value)) count += countValues(each, room - count, depth + 1)
  return count
}

/**
 * What the typed data is made of. `namesPayer` keeps a payer in the fee: the typed data has no place for it, so that
 * hashing it fails. Throws sdk/18 for what amino JSON cannot express.
 */
export const readSignDocument = (
  transaction: NativeTransaction,
  data: SignerData,
  namesPayer: boolean,
): SignDocument => {
  const signed = namesPayer ? transaction : { ...transaction, fee: { ...transaction.fee, payer: '' } }
  const bytes = signBytesOf(signed)(txSigning.SignMode.LEGACY_AMINO_JSON, data)
  const document = JSON.parse(bytesToUtf8(bytes)) as SignDocument
  countValues(document, MAX_TYPED_DATA_VALUES, 1)
  return document
}

const textMember = (name: string): TypedMember => ({ name, type: 'string' })

const DOMAIN_MEMBERS: readonly TypedMember[] = [
  textMember('name'),
  textMember('version'),
  { name: 'chainId', type: 'uint256' },
  textMember('verifyingContract'),
  textMember('salt'),
]

/** Texts where the standard has an address and 32 bytes: so it is signed everywhere. */
const domainOf = (evmChainId: bigint): JsonRecord => ({
  name: 'Cosmos Web3',
  version: '1.0.0',
  chainId: evmChainId,
  verifyingContract: 'cosmos',
  salt: '0',
})

export const FEE_MEMBERS: readonly TypedMember[] = [{ name: 'amount', type: 'Coin[]' }, textMember('gas')]

/** `fee` and `tx` are the members of the two structs; `types` are those of the messages. */
export const typedDataOf = (
  message: JsonRecord,
  evmChainId: bigint,
  fee: readonly TypedMember[],
  tx: readonly TypedMember[],
  types: TypedDataTypes,
): TypedData => ({
  types: new Map([
    ['EIP712Domain', DOMAIN_MEMBERS],
    ['Tx', tx],
    ['Fee', fee],
    ['Coin', [textMember('denom'), textMember('amount')]],
    ...types,
  ]),
  primaryType: 'Tx',
  domain: domainOf(evmChainId),
  message,
})

/** Each part between underlines with a capital letter first: part of the name of a type. */
export const capitalize = (name: string): string =>
  name
    .split('_')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')

/** The most types with one name but other members. */
const MAX_NAMESAKES = 1_000

const sameMembers = (a: readonly TypedMember[], b: readonly TypedMember[]): boolean =>
  a.length === b.length && a.every(({ name, type }, index) => name === b[index]?.name && type === b[index].type)

/** Adds a type under its name and the first number that is free or has the same members. Answers name and number. */
const addType = (types: Map<string, readonly TypedMember[]>, name: string, members: readonly TypedMember[]): string => {
  for (let index = 0; index < MAX_NAMESAKES; index++) {
    const numbered = `${name}${index}`
    const known = types.get(numbered)
    if (known === undefined) types.set(numbered, members)
    if (known === undefined || sameMembers(known, members)) return numbered
  }
  throw sdkError('invalidRequest', `typed data has ${MAX_NAMESAKES} types ${name}`)
}

const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null

const SCALAR_TYPES: Readonly<Partial<Record<string, string>>> = { string: 'string', boolean: 'bool', number: 'int64' }

/**
 * The type of a member's value, or of the first value of a list; a list of none is one of texts. Undefined for what has
 * none (null, a list of lists): hashing fails for a member without type.
 */
const typeOfValue = (types: Map<string, readonly TypedMember[]>, value: unknown, path: string): string | undefined => {
  if (Array.isArray(value)) {
    const [first]: readonly unknown[] = value
    if (value.length === 0) return 'string[]'
    const type = Array.isArray(first) ? undefined : typeOfValue(types, first, path)
    return type === undefined ? undefined : `${type}[]`
  }
  return SCALAR_TYPES[typeof value] ?? (isRecord(value) ? addTypesOf(types, value, path, path) : undefined)
}

/** Adds the types of an object and of all within it; `path` begins the names of those. Answers the object's type. */
const addTypesOf = (
  types: Map<string, readonly TypedMember[]>,
  object: JsonRecord,
  name: string,
  path: string,
): string => {
  const members: TypedMember[] = []
  // Members go from the last name to the first: so cosmos/evm sorts them.
  for (const member of Object.keys(object).sort((a, b) => (a > b ? -1 : 1))) {
    const type = typeOfValue(types, object[member], path + capitalize(member))
    if (type !== undefined) members.push({ name: member, type })
  }
  return addType(types, name, members)
}

const TYPE_PREFIX = 'Type'

/** `cosmos-sdk/MsgSend` is TypeMsgSend. */
const messageTypeName = ({ type }: JsonRecord): string =>
  TYPE_PREFIX + String(type).slice(String(type).lastIndexOf('/') + 1)

const TX_MEMBERS: readonly TypedMember[] = [
  textMember('account_number'),
  textMember('chain_id'),
  { name: 'fee', type: 'Fee' },
  textMember('memo'),
  textMember('sequence'),
]

/** Throws sdk/18. Hashing it fails where the document has members without a type, such as a timeout height. */
export const currentTypedData = ({ msgs, ...document }: SignDocument, evmChainId: bigint): TypedData => {
  const types = new Map<string, readonly TypedMember[]>()
  const members: TypedMember[] = [...TX_MEMBERS]
  const message: Record<string, unknown> = { ...document }
  for (const [index, each] of msgs.entries()) {
    const name = `msg${index}`
    members.push({ name, type: addTypesOf(types, each, messageTypeName(each), TYPE_PREFIX) })
    message[name] = each
  }
  return typedDataOf(message, evmChainId, FEE_MEMBERS, members, types)
}

/** Requests of queries from the words of a command. */
import {
  type DescEnum,
  type DescField,
  getOption,
  type JsonValue,
  type MessageShape,
  type DescMessage,
  ScalarType,
} from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { formatConsensusAddress, formatOperator } from '../../../modules/validator-addresses.ts'
import { scalarOptions } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
import type { Keyring } from '../keys/keyring.ts'
import { readAddress } from '../keys/addresses.ts'
import { type Flags, textOf } from '../client/flags.ts'
import { readMessage } from '../client/messages-json.ts'
import type { QueryPlan } from './query-plan.ts'
import { kebab } from './query-names.ts'
import { parseJson } from '../input.ts'
import { readBytes } from '../tx/tx-document.ts'

const ADDRESS_FORMATS: Readonly<Record<string, (address: Uint8Array) => string>> = {
  'cosmos.AddressString': (address) => encodeBech32(address),
  'cosmos.ValidatorAddressString': formatOperator,
  'cosmos.ConsensusAddressString': formatConsensusAddress,
}

/** The consensus key as a validator's files and the SDK's commands show it, instead of its address. */
const addressOfKey = (text: string): Uint8Array | undefined => {
  if (!text.startsWith('{')) return undefined
  const { key, value } = parseJson(text, 'the public key') as { readonly key?: unknown; readonly value?: unknown }
  const base64 = key ?? value
  if (typeof base64 !== 'string') throw cliError('usage', `${text} is no public key`)
  return consensusAddress(plainBytes(Buffer.from(base64, 'base64')))
}

/** Addresses in any form, and names of keys, as the field wants them; what is neither goes to the node as it is. */
const readString = (field: DescField, text: string, keyring: Keyring): string => {
  const format = ADDRESS_FORMATS[getOption(field, scalarOptions.scalar)]
  if (format === undefined) return text
  const address = addressOfKey(text) ?? readAddress(text) ?? keyring.find(text)?.address
  return address === undefined ? text : format(address)
}

/** VOTING_PERIOD, voting-period and PROPOSAL_STATUS_VOTING_PERIOD are the same; numbers pass. Throws cli/1. */
const readEnum = ({ values, sharedPrefix = '', typeName }: DescEnum, text: string): number => {
  const name = text.toUpperCase().replaceAll('-', '_')
  const found = values.find(
    (value) => value.name === name || value.name === sharedPrefix.toUpperCase() + name || String(value.number) === text,
  )
  if (found !== undefined) return found.number
  const known = values.map((value) => kebab(value.name.slice(sharedPrefix.length).toLowerCase())).join(', ')
  throw cliError('usage', `"${text}" is no ${typeName}: ${known}`)
}

const readValue = (field: DescField, text: string, keyring: Keyring): JsonValue => {
  if (field.enum !== undefined) return readEnum(field.enum, text)
  if (field.message !== undefined) return parseJson(text, `--${kebab(field.name)}`) as JsonValue
  if (field.fieldKind === 'map') throw cliError('usage', `${field.name} cannot be said on a command line`)
  if (field.scalar === ScalarType.BOOL) return text === 'true'
  if (field.scalar === ScalarType.BYTES) return Buffer.from(readBytes(text)).toString('base64')
  return field.scalar === ScalarType.STRING ? readString(field, text, keyring) : text
}

/** Commander's name of a flag. */
const flagAttribute = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The flag names that all queries have: a field with such a name gets a prefix. */
const RESERVED = new Set(['node', 'output', 'height', 'home', 'help', 'keyring-backend', 'password-file'])
export const flagOf = ({ name }: DescField): string =>
  RESERVED.has(kebab(name)) ? `request-${kebab(name)}` : kebab(name)

export const isSwitch = (field: DescField): boolean => field.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL

/** Names of the flags of a page: ours, and those of the SDK's generated commands. */
export const PAGE_FLAGS = {
  limit: ['limit', 'page-limit'],
  offset: ['offset', 'page-offset'],
  key: ['page-key'],
  count_total: ['count-total', 'page-count-total'],
  reverse: ['reverse', 'page-reverse'],
} as const

const readPage = (flags: Flags): { readonly [name: string]: JsonValue } | undefined => {
  const page: { [name: string]: JsonValue } = {}
  for (const [member, names] of Object.entries(PAGE_FLAGS)) {
    for (const name of names) {
      const value = flags[flagAttribute(name)]
      if (value === true) page[member] = true
      else if (typeof value === 'bigint') page[member] = value.toString()
      else if (typeof value === 'string') page[member] = value
    }
  }
  return Object.keys(page).length === 0 ? undefined : page
}

/** Throws cli/1 for a value that its field cannot hold. */
export const readRequest = (
  plan: QueryPlan,
  args: readonly (string | readonly string[] | undefined)[],
  flags: Flags,
  keyring: Keyring,
): MessageShape<DescMessage> => {
  const draft: { [name: string]: JsonValue } = {}
  const set = (field: DescField, texts: readonly string[]): void => {
    const values = texts.map((text) => readValue(field, text, keyring))
    if (field.fieldKind === 'list') draft[field.name] = values
    else if (values[0] !== undefined) draft[field.name] = values[0]
  }
  for (const [index, { field }] of plan.arguments.entries()) {
    const given = args[index]
    if (given !== undefined) set(field, typeof given === 'string' ? [given] : given)
  }
  for (const field of plan.flags) {
    const attribute = flagAttribute(flagOf(field))
    const given = flags[attribute]
    if (given === true) draft[field.name] = true
    else if (Array.isArray(given)) set(field, given.map(String))
    else if (textOf(flags, attribute) !== undefined) set(field, [String(given)])
  }
  const page = plan.pagination === undefined ? undefined : readPage(flags)
  if (page !== undefined && plan.pagination !== undefined) draft[plan.pagination.name] = { ...page }
  return readMessage(plan.method.input, draft, plan.name)
}

/** Schemas of OpenAPI for messages, as print-message.ts writes them. */
import { ScalarType, type DescEnum, type DescField, type DescMessage } from '@bufbuild/protobuf'
import { isAlwaysSet, isDecimal, PRINTS_NUMBERS } from './print-message.ts'

/** A JSON object of the document. */
export type Schema = { readonly [name: string]: unknown }

const TEXT: Schema = { type: 'string' }
const INTEGER: Schema = { type: 'integer', format: 'int32' }
const NUMBER: Schema = { type: 'number' }

/** Numbers of 64 bits are texts of digits. */
const bigNumber = (format: string): Schema => ({ type: 'string', format, pattern: '^-?[0-9]+$' })

const SCALARS: { readonly [Type in ScalarType]: Schema } = {
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.STRING]: TEXT,
  [ScalarType.BYTES]: { type: 'string', format: 'byte', nullable: true },
  [ScalarType.DOUBLE]: NUMBER,
  [ScalarType.FLOAT]: NUMBER,
  [ScalarType.INT32]: INTEGER,
  [ScalarType.SINT32]: INTEGER,
  [ScalarType.SFIXED32]: INTEGER,
  [ScalarType.UINT32]: INTEGER,
  [ScalarType.FIXED32]: INTEGER,
  [ScalarType.INT64]: bigNumber('int64'),
  [ScalarType.SINT64]: bigNumber('int64'),
  [ScalarType.SFIXED64]: bigNumber('int64'),
  [ScalarType.UINT64]: bigNumber('uint64'),
  [ScalarType.FIXED64]: bigNumber('uint64'),
}

const DECIMAL: Schema = { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]{1,18})?$', example: '0.500000000000000000' }

const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': { type: 'string', example: '1814400s' },
  'google.protobuf.Any': {
    type: 'object',
    properties: { '@type': { type: 'string', example: '/cosmos.bank.v1beta1.MsgSend' } },
    required: ['@type'],
    additionalProperties: true,
  },
}

const describeEnum = ({ values }: DescEnum): Schema => ({ type: 'string', enum: values.map(({ name }) => name) })

/** Describes one value: a text of a query or a member of an object. Messages are only named. */
export const schemaOfValue = (field: DescField): Schema => {
  if (field.enum !== undefined) return describeEnum(field.enum)
  if (field.message !== undefined) {
    return WELL_KNOWN[field.message.typeName] ?? { $ref: `#/components/schemas/${field.message.typeName}` }
  }
  if (isDecimal(field)) return DECIMAL
  const scalar = SCALARS[field.scalar ?? ScalarType.STRING]
  return PRINTS_NUMBERS.has(field.parent?.typeName ?? '') && 'pattern' in scalar
    ? { type: 'integer', format: 'int64' }
    : scalar
}

const schemaOfField = (field: DescField): Schema => {
  const value = schemaOfValue(field)
  switch (field.fieldKind) {
    case 'list':
      return { type: 'array', items: value }
    case 'map':
      return { type: 'object', additionalProperties: value }
    case 'message':
      // Beside $ref nothing else counts, so that null is said around it.
      return isAlwaysSet(field) ? value : { nullable: true, allOf: [value] }
    default:
      return value
  }
}

const schemaOfMessage = ({ fields }: DescMessage): Schema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field)])),
})

/** Describes all messages that are reached, by their names. */
export const schemasOf = (messages: readonly DescMessage[]): Readonly<Record<string, Schema>> => {
  const schemas = new Map<string, Schema>()
  const add = (message: DescMessage): void => {
    const { typeName } = message
    if (WELL_KNOWN[typeName] !== undefined || schemas.has(typeName)) return
    schemas.set(typeName, schemaOfMessage(message))
    for (const field of message.fields) if (field.message !== undefined) add(field.message)
  }
  for (const message of messages) add(message)
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Who must sign: the accounts that a message's cosmos.msg.v1.signer option names, of the messages within it too. */
import { create, getOption, hasOption, ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf'
import { toAddress, type Address } from '../../core/address.ts'
import { BECH32_PREFIX } from '../../core/amounts.ts'
import { decodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { messageOptions, scalarOptions } from '../../proto/index.ts'
import type { NativeTransaction } from './decode-transaction.ts'
import { DEFINITIONS, TRANSACTION_MESSAGES } from './definitions.ts'
import type { PackedMessage } from './public-key.ts'
import { parseBinary } from './wire.ts'

const OPERATOR_PREFIX = `${BECH32_PREFIX}valoper`

interface SignerField {
  readonly field: DescField
  readonly isOperator: boolean
}

const readSignerFields = (desc: DescMessage): readonly SignerField[] =>
  getOption(desc, messageOptions.signer).map((name) => {
    const field = desc.fields.find((each) => each.name === name)
    invariant(field !== undefined, `field ${name} not found in message ${desc.typeName}`)
    return { field, isOperator: getOption(field, scalarOptions.scalar) === 'cosmos.ValidatorAddressString' }
  })

const SIGNER_FIELDS: ReadonlyMap<DescMessage, readonly SignerField[]> = new Map(
  DEFINITIONS.filter((desc) => hasOption(desc, messageOptions.signer)).map((desc) => [desc, readSignerFields(desc)]),
)

const parseSigner = ({ field, isOperator }: SignerField, text: string): Address => {
  try {
    return isOperator ? toAddress(decodeBech32(text, OPERATOR_PREFIX)) : parseAccountAddress(text)
  } catch (error) {
    // The SDK reads signers while it decodes, and so says parse error, not invalid address.
    throw sdkError('parse', `${field.name}: ${error instanceof CodedError ? error.message : 'invalid address'}`)
  }
}

/** `message` is of the definition `desc`. Throws sdk/2. */
export const readSigners = (desc: DescMessage, message: unknown): readonly Address[] => {
  const signerFields = SIGNER_FIELDS.get(desc)
  if (signerFields === undefined) {
    throw sdkError('parse', `no cosmos.msg.v1.signer option found for message ${desc.typeName}`)
  }
  return signerFields.flatMap((signer) => {
    const { field } = signer
    const held = (message as Readonly<Record<string, unknown>>)[field.localName]
    const values: readonly unknown[] = field.fieldKind === 'list' ? (held as readonly unknown[]) : [held]
    const inner = field.message
    if (inner !== undefined) {
      // An absent message reads as an empty one, whose signer is no address.
      return values.flatMap((value) => readSigners(inner, value ?? create(inner)))
    }
    if (field.scalar === ScalarType.STRING) return values.map((value) => parseSigner(signer, String(value)))
    throw sdkError('parse', `unexpected type of the signer field ${field.name} in message ${desc.typeName}`)
  })
}

/** The signers of one message, in its order, repeated where it repeats them. Throws sdk/2. */
export const messageSigners = ({ typeUrl, value }: PackedMessage): readonly Address[] => {
  const desc = TRANSACTION_MESSAGES.get(typeUrl)
  if (desc === undefined) throw sdkError('parse', `unable to resolve type URL ${typeUrl.slice(0, 200)}`)
  return readSigners(desc, parseBinary(desc, value))
}

/** The signers of a transaction, each once, in the order of its messages: the first pays. Throws sdk/2. */
export const requiredSigners = ({ messages }: Pick<NativeTransaction, 'messages'>): readonly Address[] => {
  const signers = new Map<string, Address>()
  for (const message of messages) {
    for (const address of messageSigners(message)) {
      const key = bytesToKey(address)
      if (!signers.has(key)) signers.set(key, address)
    }
  }
  return [...signers.values()]
}

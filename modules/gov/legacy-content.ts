/** Contents of v1beta1: a text is the only one left. It stands in a MsgExecLegacyContent, which does nothing. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../core/bech32.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { govBeta, govTx } from '../../proto/index.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { PackedMessage } from './deps.ts'
import { govError } from './errors.ts'

const TEXT_URL = `/${govBeta.TextProposalSchema.typeName}`
const EXEC_URL = `/${govTx.MsgExecLegacyContentSchema.typeName}`

const MAX_TITLE_BYTES = 140
const MAX_DESCRIPTION_BYTES = 10_000

export interface TextContent {
  readonly title: string
  readonly description: string
}

/** Throws gov/5 when there is none or its bytes are none, gov/9 for another content than a text. */
export const readContent = (content: PackedMessage | undefined): TextContent => {
  if (content === undefined) throw govError('invalidContent', 'missing content')
  const { typeUrl, value } = content
  if (typeUrl !== TEXT_URL) throw govError('noHandler', typeUrl.slice(0, 200))
  try {
    const { title, description } = fromBinary(govBeta.TextProposalSchema, value)
    return { title, description }
  } catch {
    throw govError('invalidContent', 'the content is no text proposal')
  }
}

/** Throws gov/5. */
export const checkContent = ({ title, description }: TextContent): void => {
  const [titleBytes, descriptionBytes] = [utf8ToBytes(title).length, utf8ToBytes(description).length]
  if (title.trim() === '') throw govError('invalidContent', 'proposal title cannot be blank')
  if (titleBytes > MAX_TITLE_BYTES) {
    throw govError('invalidContent', `proposal title is longer than max length of ${MAX_TITLE_BYTES}`)
  }
  if (description === '') throw govError('invalidContent', 'proposal description cannot be blank')
  if (descriptionBytes > MAX_DESCRIPTION_BYTES) {
    throw govError('invalidContent', `proposal description is longer than max length of ${MAX_DESCRIPTION_BYTES}`)
  }
}

/** The message by which a proposal of v1 carries it. */
export const wrapContent = ({ title, description }: TextContent): PackedMessage => {
  const value = toBinary(govBeta.TextProposalSchema, create(govBeta.TextProposalSchema, { title, description }))
  const message = create(govTx.MsgExecLegacyContentSchema, {
    content: { typeUrl: TEXT_URL, value },
    authority: encodeBech32(GOVERNANCE_ADDRESS),
  })
  return { typeUrl: EXEC_URL, value: toBinary(govTx.MsgExecLegacyContentSchema, message) }
}

/** What v1beta1 shows of a proposal with one message: the content within it, or else the message itself. */
export const unwrapContent = (message: PackedMessage): PackedMessage => {
  if (message.typeUrl !== EXEC_URL) return message
  const { content } = fromBinary(govTx.MsgExecLegacyContentSchema, message.value)
  return content === undefined ? message : { typeUrl: content.typeUrl, value: content.value }
}

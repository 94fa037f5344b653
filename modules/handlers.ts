/** Handlers of messages and queries from the methods of their services: encodings apart, only the work is left. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { errorText } from '../core/errors.ts'
import type { MessageContext, MessageHandler, QueryContext, QueryHandler } from './module.ts'
import { queryRefusal } from './sdk-errors.ts'

export interface ParsedWork<Input extends DescMessage, Output extends DescMessage, Parsed> {
  /** Throws a CodedError. Reads nothing but the message. */
  parse(message: MessageShape<Input>): Parsed
  /** Throws a CodedError: everything that it wrote is undone. */
  execute(context: MessageContext, parsed: Parsed): MessageInitShape<Output>
}

/** The handler of a message that is executed in a form of its own. */
export const handleParsed = <Input extends DescMessage, Output extends DescMessage, Parsed>(
  { input, output }: DescMethodUnary<Input, Output>,
  { parse, execute }: ParsedWork<Input, Output, Parsed>,
): MessageHandler => ({
  typeUrl: `/${input.typeName}`,
  decode: (bytes) => fromBinary(input, bytes, { readUnknownFields: false }),
  // What `decode` gave comes back, and then what this gives.
  prepare: (message) => parse(message as MessageShape<Input>),
  execute: (context, parsed) => toBinary(output, create(output, execute(context, parsed as Parsed))),
})

export interface MessageWork<Input extends DescMessage, Output extends DescMessage> {
  /** Throws a CodedError. Reads nothing. */
  checkStateless(message: MessageShape<Input>): void
  /** Throws a CodedError: everything that it wrote is undone. */
  execute(context: MessageContext, message: MessageShape<Input>): MessageInitShape<Output>
}

export const handleMessage = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  { checkStateless, execute }: MessageWork<Input, Output>,
): MessageHandler => {
  const parse = (message: MessageShape<Input>): MessageShape<Input> => {
    checkStateless(message)
    return message
  }
  return handleParsed(method, { parse, execute })
}

/** Throws grpc/3 for bytes that are no such message: whoever asks is told what is wrong with them. */
export const decodeRequest = <Input extends DescMessage>(input: Input, bytes: Uint8Array): MessageShape<Input> => {
  try {
    return fromBinary(input, bytes, { readUnknownFields: false })
  } catch (error) {
    throw queryRefusal('invalidArgument', `malformed request: ${errorText(error)}`)
  }
}

/** What `answer` throws beside CodedErrors is a fault of the node, and none of the request. */
export const handleQuery = <Input extends DescMessage, Output extends DescMessage>(
  { name, parent, input, output }: DescMethodUnary<Input, Output>,
  answer: (context: QueryContext, request: MessageShape<Input>) => MessageInitShape<Output>,
  options: Pick<QueryHandler, 'isHeavy'> = {},
): QueryHandler => ({
  ...options,
  path: `/${parent.typeName}/${name}`,
  query: (context, bytes) => toBinary(output, create(output, answer(context, decodeRequest(input, bytes)))),
})

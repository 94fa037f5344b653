/**
 * The questions of nat.clob.v1 as methods of JSON-RPC: `clob_get` and the name of the gRPC method. One definition serves gRPC,
 * REST and JSON-RPC: the parameter is the request as JSON of proto, the result is what REST answers.
 */
import { type DescMethod, type DescService, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { clobBatches, clobHistory, clobLive, clobQuery } from '../../proto/index.ts'
import { type CallContext, defineMethod, type Method, optionalParameter } from '../method.ts'
import { queryCost, readHeight } from '../native/native-queries.ts'
import { LONG_ANSWER_BYTES, printInTurns, type TakeTurn } from '../native/print-in-turns.ts'
import { readJson } from '../native/read-json.ts'
import { createMessagePrinter, type MessagePrinter } from '../native/print-message.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from '../native/services.ts'
import { type Decode, invalidValue, isObject } from '../parameters/go-json.ts'
import { decodeCount } from '../parameters/count.ts'

/** A new service of the order book is a line here. */
const SERVICES: readonly DescService[] = [clobQuery.Query, clobLive.Live, clobHistory.History, clobBatches.Batches]

let known: MessagePrinter | undefined
const print = async ({ output }: DescMethod, bytes: Uint8Array, take: TakeTurn): Promise<string> => {
  const printer = (known ??= createMessagePrinter(createTypeRegistry(NATIVE_SERVICES)))
  if (bytes.length < LONG_ANSWER_BYTES) return printer.print(output, fromBinary(output, bytes))
  // JSON-RPC does not tell a method that its client has gone.
  return (await printInTurns(printer, output, bytes, { take, isOver: () => false })) ?? ''
}

/** Fields by either of their names; one that the request does not have is refused, and so is what does not fit it. */
const requestOf =
  ({ input }: DescMethod): Decode<Message> =>
  (value) => {
    if (!isObject(value)) throw invalidValue('the request is no object')
    try {
      return readJson(input, value)
    } catch (error) {
      throw invalidValue(error instanceof Error ? error.message : String(error))
    }
  }

const answer = async (
  { ask, head, takeTurn }: CallContext,
  method: DescMethod,
  request: Message | undefined,
  heightGiven: number | undefined,
): Promise<string> => {
  const path = methodPath(method)
  const height = readHeight(heightGiven === undefined ? undefined : String(heightGiven), head.current().head.height)
  const bytes = request === undefined ? new Uint8Array(0) : toBinary(method.input, request)
  const text = await ask('native', { path, data: Buffer.from(bytes).toString('base64'), height })
  // A JSON string of base64 has nothing to unescape.
  return print(method, Buffer.from(text.slice(1, -1), 'base64'), takeTurn)
}

const methodOf = (method: DescMethod): Method =>
  defineMethod({
    name: `clob_get${method.name}`,
    cost: queryCost(methodPath(method)),
    description: {
      parameters: [
        { name: 'request', required: false, type: method.input },
        { name: 'height', required: false },
      ],
      result: method.output,
    },
    parameters: [optionalParameter(requestOf(method)), optionalParameter(decodeCount)],
    answer: (context, request, height) => answer(context, method, request, height),
  })

export const CLOB_METHODS: readonly Method[] = SERVICES.flatMap(({ methods }) => methods)
  .filter(({ methodKind }) => methodKind === 'unary')
  .map(methodOf)

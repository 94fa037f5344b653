/** What a JSON-RPC method is: its name, how its parameters are read, and the question it asks. */
import type { DescMessage } from '@bufbuild/protobuf'
import { CodedError } from '../core/errors.ts'
import type { Text } from '../core/text.ts'
import type { Asker, QuestionName, Questions } from '../app/ports.ts'
import { RPC_CODESPACE, rpcError } from './errors.ts'
import type { HeadTracker } from './head.ts'
import type { InclusionWatch } from './inclusion.ts'
import { invalidValue, type Decode } from './parameters/go-json.ts'

export interface CallContext {
  readonly head: HeadTracker
  /** Asks the application as of this gateway's head; resolves to the text of the result. A method's is its caller's. */
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name], asker?: Asker): string | Promise<string>
  /** The same for an answer that is handed on as it is: a long one stays bytes. */
  askText<Name extends QuestionName>(name: Name, parameters: Questions[Name], asker?: Asker): Text | Promise<Text>
  readonly inclusion: InclusionWatch
  /** Texts of the results of web3_clientVersion and rpc_modules. */
  readonly clientVersion: string
  readonly modules: string
  /** The description that rpc_discover gives. */
  readonly description: () => string
  /** Calls `listener` once the client has gone. Returns how to stop. A method's is its caller's. */
  onGone(listener: () => void): () => void
  /** Does a part of a long answer when it is its connection's turn. A method's is its caller's. */
  takeTurn<Result>(work: () => Result): Promise<Result>
}

export type Answer = Text | Promise<Text>

/** Whose request it is: an address, or the network of one, as {@link clientOf} of limits.ts has it. */
export type FindClient = () => string

/** What rpc_discover tells of a method beside its name. */
export interface MethodDescription {
  /** The parameters in their order. */
  readonly parameters: readonly {
    readonly name?: string
    readonly required: boolean
    readonly type?: DescMessage
    /** What reads it: parameters/kinds.ts knows what that takes. */
    readonly reader?: unknown
  }[]
  /** Where the result is JSON of proto. */
  readonly result?: DescMessage
}

export interface Method {
  readonly name: string
  readonly description: MethodDescription
  /** What it takes of the rate limit: 1 for a look-up. */
  readonly cost: number
  /** It sends something, or changes what the node keeps for its client: in a batch its place counts. */
  readonly hasEffect: boolean
  /** Its numbers are judged by their digits: where they are not plain integers they come as {@link NumberLiteral}. */
  readonly readsDigits: boolean
  /** `params` as sent; undefined when absent. Throws or rejects with a CodedError. */
  call(params: unknown, context: CallContext, client: FindClient): Answer
}

export interface Parameter<Value> {
  readonly decode: Decode<Value>
  readonly required: boolean
  /** What was given to {@link required} or {@link optionalParameter}. */
  readonly reader: unknown
}

export const required = <Value>(decode: Decode<Value>): Parameter<Value> => ({ decode, required: true, reader: decode })

/** May be missing or null: then it is undefined. */
export const optionalParameter = <Value>(decode: Decode<Value>): Parameter<Value | undefined> => ({
  decode: (value, place) => (value === null ? undefined : decode(value, place)),
  required: false,
  reader: decode,
})

const explain = (error: unknown, index: number): unknown =>
  error instanceof CodedError && error.codespace === RPC_CODESPACE
    ? rpcError('invalidParameters', `invalid argument ${index}: ${error.message}`)
    : error

/** Reads positional parameters one by one; throws for the first that cannot be read, as geth does. */
export const readParameters = (params: unknown, parameters: readonly Parameter<unknown>[]): unknown[] => {
  const given: unknown = params ?? []
  if (!Array.isArray(given)) throw invalidValue('non-array args')
  const values: unknown[] = []
  for (const value of given) {
    const parameter = parameters[values.length]
    if (parameter === undefined) throw invalidValue(`too many arguments, want at most ${parameters.length}`)
    try {
      values.push(parameter.decode(value, ''))
    } catch (error) {
      throw explain(error, values.length)
    }
  }
  for (let index = values.length; index < parameters.length; index++) {
    if (parameters[index]?.required === true) throw invalidValue(`missing value for required argument ${index}`)
    values.push(undefined)
  }
  return values
}

/** The values that a list of parameters yields. */
export type ValuesOf<List extends readonly Parameter<unknown>[]> = {
  readonly [Index in keyof List]: List[Index] extends Parameter<infer Value> ? Value : never
}

export interface MethodDefinition<List extends readonly Parameter<unknown>[]> {
  readonly name: string
  /** 1 when left out. */
  readonly cost?: number
  /** False when left out. */
  readonly hasEffect?: boolean
  /** False when left out. */
  readonly readsDigits?: boolean
  readonly parameters: List
  /** The parameters alone when left out. */
  readonly description?: MethodDescription
  answer(context: CallContext, ...values: ValuesOf<List>): Answer
}

/** One whose answer takes something of what its client may have. */
export interface ClientMethodDefinition<List extends readonly Parameter<unknown>[]>
  extends Omit<MethodDefinition<List>, 'answer'> {
  answer(context: CallContext, client: string, ...values: ValuesOf<List>): Answer
}

const describe = (parameters: readonly Parameter<unknown>[]): MethodDescription => ({
  parameters: parameters.map(({ required: isRequired, reader }) => ({ required: isRequired, reader })),
})

export const defineMethod = <const List extends readonly Parameter<unknown>[]>(
  definition: MethodDefinition<List>,
): Method => {
  const { name, parameters, answer } = definition
  return {
    name,
    description: definition.description ?? describe(parameters),
    cost: definition.cost ?? 1,
    hasEffect: definition.hasEffect ?? false,
    readsDigits: definition.readsDigits ?? false,
    call: (params, context) => answer(context, ...(readParameters(params, parameters) as unknown as ValuesOf<List>)),
  }
}

export const defineClientMethod = <const List extends readonly Parameter<unknown>[]>(
  definition: ClientMethodDefinition<List>,
): Method => {
  const { name, parameters, answer } = definition
  return {
    name,
    description: definition.description ?? describe(parameters),
    cost: definition.cost ?? 1,
    hasEffect: definition.hasEffect ?? false,
    readsDigits: definition.readsDigits ?? false,
    call: (params, context, client) =>
      answer(context, client(), ...(readParameters(params, parameters) as unknown as ValuesOf<List>)),
  }
}

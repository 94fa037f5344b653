/** Answers JSON-RPC requests: single ones and batches, with geth's envelope and texts. */
import type { Asker } from '../app/ports.ts'
import type { CodedError } from '../core/errors.ts'
import type { Text } from '../core/text.ts'
import { describeFailure, errorObject, goJson, jsonRpcCode, rpcError } from './errors.ts'
import type { GatewayLog } from './log.ts'
import { NO_FIGURES, type RequestFigures } from './request-figures.ts'
import { TOO_GREEDY } from './memory-budget.ts'
import type { Answer, CallContext, Method } from './method.ts'
import { readParameters, required } from './method.ts'
import { stringDecoder } from './parameters/go-json.ts'
import { parseWithLiterals } from './parameters/number-literal.ts'
import { endLine, type Reply, replyText, replyWith } from './replies.ts'
import {
  hasValidId,
  isCall,
  isNotification,
  CROWDED_TEXT,
  parsePayload,
  type Message,
  type Payload,
  type Unreadable,
} from './payload.ts'

/** Who asks. */
export interface Caller {
  readonly asker: () => Asker
  /** Left out where notifications cannot be carried, over HTTP. */
  readonly subscriber?: Subscriber
  /** Does a part of a batch or of a long answer when it is its connection's turn. */
  readonly takeTurn?: <Result>(work: () => Result) => Promise<Result>
  /**
   * Told of what a batch keeps until all of it is answered: its values, and the answers that wait for the others. False
   * where that is too much.
   */
  hold?(bytes: number): boolean
}

/** A connection that can carry notifications. */
export interface Subscriber {
  /** Returns the id of the subscription. Throws or rejects with a CodedError. */
  subscribe(namespace: string, params: unknown): string | Promise<string>
  /** Throws rpc/failed for an id that is not this connection's. */
  unsubscribe(id: string): void
}

export interface ResponderOptions {
  readonly methods: ReadonlyMap<string, Method>
  readonly context: CallContext
  readonly log: GatewayLog
  readonly batchRequestLimit: number
  readonly batchResponseMaxSize: number
  /** Time for a whole batch. */
  readonly timeoutMs: number
  readonly figures?: RequestFigures
}

export interface Responder {
  parse(text: string): Payload | Unreadable
  cost(payload: Payload): number
  /** The text to send; undefined when nothing is to be sent. Never rejects. */
  respond(payload: Payload, caller: Caller): Reply | undefined | Promise<Reply | undefined>
}

/**
 * Requests of a batch that are asked before the first of them must be answered, and what they may cost together, the
 * first aside: answers wait in memory, and a trace can have 64 MiB.
 */
const BATCH_WINDOW = 16
const BATCH_WINDOW_COST = 320
const MAX_METHOD_LENGTH = 2_048

const parseSubscriptionId = [required(stringDecoder('rpc.ID'))] as const

const failure = (id: string, error: string): string => `{"jsonrpc":"2.0","id":${id},"error":${error}}`

export const failWith = (id: string, error: CodedError): string =>
  failure(id, errorObject(jsonRpcCode(error), error.message, error.data))

const INVALID_REQUEST = rpcError('invalidRequest', 'invalid request')

/** Answers to a text that holds no request; geth ends these without a line feed. */
export const PARSE_ERROR = failWith('null', rpcError('parse', 'parse error'))
export const CROWDED = failWith('null', rpcError('rateLimited', CROWDED_TEXT))
const TOO_MUCH_HELD = rpcError('rateLimited', TOO_GREEDY)
const EMPTY_BATCH = failWith('null', rpcError('invalidRequest', 'empty batch'))

const methodNotFound = (method: string): CodedError =>
  rpcError('methodNotFound', `the method ${method} does not exist/is not available`)

const checkMethodLength = (method: string, what: string): void => {
  if (method.length <= MAX_METHOD_LENGTH) return
  throw rpcError('invalidRequest', `${what} name too long: ${method.length} > ${MAX_METHOD_LENGTH}`)
}

/** Read again where the method reads digits, and a number has others than its value tells. */
const paramsOf = ({ params, writtenParams }: Message): unknown =>
  writtenParams === undefined ? params : parseWithLiterals(writtenParams)

const subscribe = (message: Message, subscriber: Subscriber | undefined): Answer => {
  if (subscriber === undefined) throw rpcError('methodNotFound', 'notifications not supported')
  checkMethodLength(message.method, 'subscription')
  const made = subscriber.subscribe(message.method.slice(0, message.method.indexOf('_')), message.params)
  return typeof made === 'string' ? goJson(made) : made.then(goJson)
}

const unsubscribe = (message: Message, subscriber: Subscriber | undefined): string => {
  const [id] = readParameters(message.params, parseSubscriptionId)
  if (subscriber === undefined) throw rpcError('failed', 'subscription not found')
  subscriber.unsubscribe(id as string)
  return 'true'
}

export const createResponder = (options: ResponderOptions): Responder => {
  const { methods, context, log, figures = NO_FIGURES } = options
  const contextOf = ({ asker, takeTurn }: Caller): CallContext => ({
    ...context,
    ask: (name, parameters) => context.ask(name, parameters, asker()),
    askText: (name, parameters) => context.askText(name, parameters, asker()),
    onGone: (listener) => asker().onGone(listener),
    ...(takeTurn !== undefined && { takeTurn }),
  })

  const execute = (message: Message, caller: Caller): Answer => {
    const { method } = message
    const found = methods.get(method)
    if (found !== undefined) return found.call(paramsOf(message), contextOf(caller), () => caller.asker().client)
    if (method.endsWith('_subscribe')) return subscribe(message, caller.subscriber)
    if (method.endsWith('_unsubscribe')) return unsubscribe(message, caller.subscriber)
    checkMethodLength(method, 'method')
    throw methodNotFound(method)
  }

  type End = ReturnType<RequestFigures['begin']>

  const finish = async (id: string, method: string, answer: Promise<Text>, end: End): Promise<Reply> => {
    try {
      const text = replyWith(id, await answer)
      end(false)
      return text
    } catch (error) {
      end(true)
      return failure(id, describeFailure(error, method, log))
    }
  }

  const call = (message: Message, caller: Caller): Reply | Promise<Reply> => {
    const id = message.id ?? 'null'
    const end = figures.begin(message.method)
    try {
      const answer = execute(message, caller)
      if (answer instanceof Promise) return finish(id, message.method, answer, end)
      end(false)
      return replyWith(id, answer)
    } catch (error) {
      end(true)
      return failure(id, describeFailure(error, message.method, log))
    }
  }

  /**
   * Undefined for what gets no answer: responses, and notifications, which are carried out and waited for. They cost what
   * calls cost, so that a client has no more of them at once.
   */
  const answerOne = (message: Message, caller: Caller): Reply | Promise<Reply | undefined> | undefined => {
    if (isCall(message)) return call(message, caller)
    if (isNotification(message)) {
      const done = call(message, caller)
      return done instanceof Promise ? done.then(() => undefined) : undefined
    }
    const hasId = hasValidId(message)
    if (message.isResponse && hasId && message.version === '2.0') return undefined
    return failWith(hasId ? (message.id ?? 'null') : 'null', INVALID_REQUEST)
  }

  const refuseRest = (messages: readonly Message[], error: CodedError): string[] =>
    messages.filter((message) => !isNotification(message)).map((message) => failWith(message.id ?? 'null', error))

  const costOf = ({ method }: Message): number => methods.get(method)?.cost ?? 1

  const hasEffect = ({ method }: Message): boolean =>
    methods.get(method)?.hasEffect ?? (method.endsWith('_subscribe') || method.endsWith('_unsubscribe'))

  /**
   * The next requests that are asked together: they read, or all of them send or change something. So a request sees what those before it
   * did, and nothing of what those behind it do.
   */
  const windowFrom = (messages: readonly Message[], done: number): readonly Message[] => {
    const window: Message[] = []
    let cost = 0
    for (const message of messages.slice(done, done + BATCH_WINDOW)) {
      cost += costOf(message)
      const [first] = window
      if (first !== undefined && (cost > BATCH_WINDOW_COST || hasEffect(first) !== hasEffect(message))) break
      window.push(message)
    }
    return window
  }

  const answerBatch = async ({ messages, heapBytes }: Payload, caller: Caller): Promise<string | undefined> => {
    const replies: string[] = []
    const deadlineMs = performance.now() + options.timeoutMs
    let size = 0
    let problem = caller.hold?.(heapBytes) === false ? TOO_MUCH_HELD : undefined
    let done = 0
    const askNext = () => windowFrom(messages, done).map((message) => answerOne(message, caller))
    while (done < messages.length && problem === undefined) {
      // What is carried out is told, whatever becomes of the rest: such answers are short.
      const first = messages[done]
      const isToldWhole = first !== undefined && hasEffect(first)
      const window = done === 0 ? askNext() : await (caller.takeTurn?.(askNext) ?? askNext())
      for (const answer of window) {
        done++
        const reply = await answer
        if (reply === undefined) continue
        const text = replyText(reply)
        if (caller.hold?.(text.length) === false) {
          replies.push(isToldWhole ? text : failWith(messages[done - 1]?.id ?? 'null', TOO_MUCH_HELD))
          problem = TOO_MUCH_HELD
          if (isToldWhole) continue
          break
        }
        replies.push(text)
        size += text.length
        // The reply that passes the limit is still sent, those behind it are not.
        if (options.batchResponseMaxSize > 0 && size > options.batchResponseMaxSize) {
          problem ??= rpcError('responseTooLarge', 'response too large')
          if (!isToldWhole) break
        }
      }
      if (performance.now() > deadlineMs) problem ??= rpcError('timeout', 'request timed out')
    }
    if (problem !== undefined) replies.push(...refuseRest(messages.slice(done), problem))
    return replies.length === 0 ? undefined : `[${replies.join(',')}]\n`
  }

  const maxItems = options.batchRequestLimit > 0 ? options.batchRequestLimit : Number.MAX_SAFE_INTEGER
  const readsDigits = (method: string): boolean => methods.get(method)?.readsDigits === true

  const isTooLong = (messages: readonly Message[]): boolean =>
    options.batchRequestLimit > 0 && messages.length > options.batchRequestLimit

  return {
    parse: (text) => parsePayload(text, maxItems, readsDigits),
    cost(payload) {
      let cost = 0
      for (const message of payload.messages) cost += costOf(message)
      return cost
    },
    respond(payload, caller) {
      const { messages } = payload
      if (payload.isBatch) {
        if (messages.length === 0) return EMPTY_BATCH
        if (!isTooLong(messages)) return answerBatch(payload, caller)
        const id = messages.find(isCall)?.id ?? 'null'
        return `[${failWith(id, rpcError('invalidRequest', 'batch too large'))}]`
      }
      const [message] = messages
      const answer = message === undefined ? undefined : answerOne(message, caller)
      if (answer === undefined) return undefined
      if (!(answer instanceof Promise)) return endLine(answer)
      return answer.then((reply) => (reply === undefined ? undefined : endLine(reply)))
    },
  }
}

/** The one place that maps failures to JSON-RPC errors. Texts and codes are geth's: clients match on them. */
import { QUERY_CODES } from '../app/ports.ts'
import { errorTable } from '../core/error-table.ts'
import { CodedError } from '../core/errors.ts'
import { JSON_RPC } from '../core/json-rpc-codes.ts'
import type { GatewayLog } from './log.ts'

export const RPC_CODESPACE = 'rpc'

export const RPC_ERRORS = errorTable(
  RPC_CODESPACE,
  "Requests that the gateway refuses by itself, and failures between gateway and application. The texts are geth's " +
    'where geth has one.',
  {
    parse: {
      code: 1,
      text: 'parse error | invalid character ... looking for ...',
      cause: 'The request is not JSON.',
      action: 'Send valid JSON.',
    },
    invalidRequest: {
      code: 2,
      text: 'invalid request | empty batch | batch too large | method name too long: ...',
      cause: 'The JSON is not a request of JSON-RPC 2.0, or a batch passes the limit.',
      action: 'Send `jsonrpc`, `id`, `method` and `params`; split the batch.',
    },
    methodNotFound: {
      code: 3,
      text: 'the method ... does not exist/is not available | notifications not supported',
      cause: 'There is no such method, or its namespace is not served.',
      action: 'Check the name; operators add the namespace to `json-rpc.api`. Subscriptions need a WebSocket.',
    },
    invalidParameters: {
      code: 4,
      text: 'invalid argument ...: ... | missing value for required argument ... | request too large',
      cause: 'A parameter is missing, malformed or out of range.',
      action: 'Correct the parameter that the message numbers, from 0 on.',
    },
    parameterMismatch: {
      code: 5,
      text: 'invalid argument ...: json: cannot unmarshal ... into Go value of type ...',
      cause: 'A parameter is of the wrong kind of JSON. Geth goes on, and reports it only when nothing worse follows.',
      action: 'Correct the parameter that the message numbers, from 0 on.',
    },
    failed: {
      code: 6,
      text: 'subscription not found | invalid block range params | ...',
      cause: 'The request is well formed, and cannot be fulfilled.',
      action: 'Correct what the message names.',
    },
    unavailable: {
      code: 7,
      text: 'application unavailable at ...; retrying',
      cause: 'The gateway runs, but the application does not answer it.',
      action: 'Try again in some seconds; operators look at `chain status`.',
    },
    timeout: {
      code: 8,
      text: 'request timed out',
      cause: 'The answer took longer than the limit of the gateway.',
      action: 'Ask for less, or try again later.',
    },
    rateLimited: {
      code: 9,
      text: 'rate limit exceeded, retry in ... s | too many ...',
      cause: 'The client passes its share, or all clients together ask more than the node answers.',
      action: 'Wait as long as the message says; end filters and subscriptions that are not needed.',
    },
    responseTooLarge: {
      code: 10,
      text: 'response too large',
      cause: 'The answers of a batch, or one answer, are larger than the limit.',
      action: 'Ask for less at once.',
    },
    internal: {
      code: 11,
      text: 'internal error',
      cause: 'A failure of the node itself, which its log describes in full.',
      action: 'Try another node; operators read the log.',
    },
    protocol: {
      code: 12,
      text: 'the process at ... speaks another protocol | ...',
      cause: 'Gateway and application are of different versions, or something else listens on that address.',
      action: 'Run gateway and application of one version.',
    },
    notIncluded: {
      code: 13,
      text: "The transaction was added to the transaction pool but wasn't processed in ...",
      cause: 'The transaction was sent, and is not in a block in time (EIP-7966). `data` is its hash.',
      action: 'Ask for its receipt later.',
    },
  },
)

export const RPC_CODES = RPC_ERRORS.codes

export type RpcErrorName = keyof typeof RPC_CODES

export const rpcError = (name: RpcErrorName, message: string, data?: unknown): CodedError =>
  new CodedError(RPC_CODESPACE, RPC_CODES[name], message, data)

export const isRpcError = (error: unknown, name: RpcErrorName): boolean =>
  error instanceof CodedError && error.codespace === RPC_CODESPACE && error.code === RPC_CODES[name]

/** What a failure of the node itself says to clients; the log has the whole of it. */
export const INTERNAL_ERROR_TEXT = 'internal error'

const RPC_TO_JSON_RPC: Readonly<Record<number, number>> = {
  [RPC_CODES.parse]: JSON_RPC.parse,
  [RPC_CODES.invalidRequest]: JSON_RPC.invalidRequest,
  [RPC_CODES.methodNotFound]: JSON_RPC.methodNotFound,
  [RPC_CODES.invalidParameters]: JSON_RPC.invalidParameters,
  [RPC_CODES.parameterMismatch]: JSON_RPC.invalidParameters,
  [RPC_CODES.failed]: JSON_RPC.refused,
  [RPC_CODES.unavailable]: JSON_RPC.internal,
  [RPC_CODES.timeout]: JSON_RPC.timeout,
  [RPC_CODES.rateLimited]: JSON_RPC.limitExceeded,
  [RPC_CODES.responseTooLarge]: JSON_RPC.responseTooLarge,
  [RPC_CODES.internal]: JSON_RPC.internal,
  [RPC_CODES.protocol]: JSON_RPC.internal,
  [RPC_CODES.notIncluded]: JSON_RPC.notIncluded,
}

/** Codespace `query` of the application: what became of a question. */
const QUERY_TO_JSON_RPC: Readonly<Record<number, number>> = {
  [QUERY_CODES.failed]: JSON_RPC.refused,
  [QUERY_CODES.invalidParameters]: JSON_RPC.invalidParameters,
  [QUERY_CODES.reverted]: JSON_RPC.reverted,
  [QUERY_CODES.timeout]: JSON_RPC.timeout,
  [QUERY_CODES.limit]: JSON_RPC.limitExceeded,
  [QUERY_CODES.unsupported]: JSON_RPC.methodNotFound,
  [QUERY_CODES.tooLarge]: JSON_RPC.responseTooLarge,
  [QUERY_CODES.prunedHistory]: JSON_RPC.prunedHistory,
  [QUERY_CODES.prunedState]: JSON_RPC.refused,
  [QUERY_CODES.blockNotTold]: JSON_RPC.prunedHistory,
}

/** The lowest code of codespace `simulation` for which geth has a number of its own. */
const FIRST_NUMBERED_SIMULATION_CODE = 10

/** Codespace `simulation`: geth has a code for most refusals of eth_simulateV1, from -38010 on. */
const simulationCode = (code: number): number =>
  code < FIRST_NUMBERED_SIMULATION_CODE ? JSON_RPC.internal : JSON_RPC.simulation - code

/** Codespaces other than these three (`evm`, `pool`, ...) speak geth's texts and get geth's default code. */
export const jsonRpcCode = (error: CodedError): number => {
  if (error.codespace === RPC_CODESPACE) return RPC_TO_JSON_RPC[error.code] ?? JSON_RPC.refused
  if (error.codespace === 'query') return QUERY_TO_JSON_RPC[error.code] ?? JSON_RPC.refused
  return error.codespace === 'simulation' ? simulationCode(error.code) : JSON_RPC.refused
}

/** The escapes hold no character that is escaped. One call a character: a callback for each would take seconds. */
const HTML_CHARACTERS = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
] as const

const ESCAPED = /[<>&\u2028\u2029]/
/** One look at a text of so many characters is faster than a search for each of the five, of a longer one slower. */
const SHORT_LENGTH = 1_024

/** JSON text as Go writes it: with these characters escaped, which stand in strings only. */
export const escapeForGo = (json: string): string => {
  if (json.length <= SHORT_LENGTH && !ESCAPED.test(json)) return json
  let out = json
  for (const [character, escaped] of HTML_CHARACTERS) out = out.replaceAll(character, escaped)
  return out
}

export const goJson = (value: unknown): string => escapeForGo(JSON.stringify(value))

/** The text of the member `error`. What Go cannot hold in a string it has replaced when it read the request. */
export const errorObject = (code: number, message: string, data?: unknown): string => {
  const text = goJson(message.toWellFormed())
  return data === undefined
    ? `{"code":${code},"message":${text}}`
    : `{"code":${code},"message":${text},"data":${goJson(data)}}`
}

/** Faults of the node are logged in full and told in plain words. */
export const describeFailure = (error: unknown, method: string, log: GatewayLog): string => {
  if (error instanceof CodedError) return errorObject(jsonRpcCode(error), error.message, error.data)
  log.error(`${method} failed`, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  return errorObject(JSON_RPC.internal, INTERNAL_ERROR_TEXT)
}

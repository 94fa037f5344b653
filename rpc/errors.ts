/** The one place that maps failures to JSON-RPC errors. Texts and codes are geth's: clients match on them. */
import { CodedError } from '../core/errors.ts'
import type { GatewayLog } from './log.ts'

export const RPC_CODESPACE = 'rpc'

/** Stable codes of codespace `rpc`; never reused. */
export const RPC_CODES = {
  parse: 1,
  invalidRequest: 2,
  methodNotFound: 3,
  invalidParameters: 4,
  /** A parameter of the wrong kind: geth goes on and reports it only when nothing worse follows. */
  parameterMismatch: 5,
  failed: 6,
  unavailable: 7,
  timeout: 8,
  rateLimited: 9,
  responseTooLarge: 10,
  internal: 11,
  protocol: 12,
  /** EIP-7966: sent, and not in a block in time. */
  notIncluded: 13,
} as const

export type RpcErrorName = keyof typeof RPC_CODES

export const rpcError = (name: RpcErrorName, message: string, data?: unknown): CodedError =>
  new CodedError(RPC_CODESPACE, RPC_CODES[name], message, data)

export const isRpcError = (error: unknown, name: RpcErrorName): boolean =>
  error instanceof CodedError && error.codespace === RPC_CODESPACE && error.code === RPC_CODES[name]

/** What a failure of the node itself says to clients; the log has the whole of it. */
export const INTERNAL_ERROR_TEXT = 'internal error'

const JSON_RPC_DEFAULT = -32000

const RPC_TO_JSON_RPC: Readonly<Record<number, number>> = {
  [RPC_CODES.parse]: -32700,
  [RPC_CODES.invalidRequest]: -32600,
  [RPC_CODES.methodNotFound]: -32601,
  [RPC_CODES.invalidParameters]: -32602,
  [RPC_CODES.parameterMismatch]: -32602,
  [RPC_CODES.failed]: JSON_RPC_DEFAULT,
  [RPC_CODES.unavailable]: -32603,
  [RPC_CODES.timeout]: -32002,
  [RPC_CODES.rateLimited]: -32005,
  [RPC_CODES.responseTooLarge]: -32003,
  [RPC_CODES.internal]: -32603,
  [RPC_CODES.protocol]: -32603,
  [RPC_CODES.notIncluded]: 4,
}

/** Codespace `query` of the application, by its stable codes: what became of a question. */
const QUERY_TO_JSON_RPC: Readonly<Record<number, number>> = {
  // The thing asked for cannot be answered.
  1: JSON_RPC_DEFAULT,
  // Parameters that only the application can judge.
  2: -32602,
  // Execution reverted; data is what the contract returned.
  3: 3,
  // Timeout, limit, not supported, too large.
  4: -32002,
  5: -32005,
  6: -32601,
  7: -32003,
  // Pruned blocks, pruned state.
  8: 4444,
  9: JSON_RPC_DEFAULT,
}

/** Codespace `simulation`: geth has a code for each refusal of eth_simulateV1, from -38010 on. */
const simulationCode = (code: number): number => (code < 10 ? -32603 : -38000 - code)

/** Codespaces other than these three (`evm`, `pool`, ...) speak geth's texts and get geth's default code. */
export const jsonRpcCode = (error: CodedError): number => {
  if (error.codespace === RPC_CODESPACE) return RPC_TO_JSON_RPC[error.code] ?? JSON_RPC_DEFAULT
  if (error.codespace === 'query') return QUERY_TO_JSON_RPC[error.code] ?? JSON_RPC_DEFAULT
  return error.codespace === 'simulation' ? simulationCode(error.code) : JSON_RPC_DEFAULT
}

/** None of the escapes holds a character that is escaped. One call a character: a callback for each would take seconds. */
const HTML_CHARACTERS = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
] as const

/** JSON text as Go writes it: with these characters escaped, which stand in strings only. */
export const escapeForGo = (json: string): string => {
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
  return errorObject(-32603, INTERNAL_ERROR_TEXT)
}

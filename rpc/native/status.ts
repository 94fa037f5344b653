/** Failures of native queries as gRPC statuses, and those as HTTP statuses (grpc-gateway's table). */
import { QUERY_CODES, SDK_CODES } from '../../app/ports.ts'
import { CodedError, isFault } from '../../core/errors.ts'
import { GRPC, type GrpcStatus } from '../grpc/status.ts'
import { INTERNAL_ERROR_TEXT, isRpcError } from '../errors.ts'
import type { GatewayLog } from '../log.ts'

const QUERY_TO_GRPC: Readonly<Record<number, number>> = {
  [QUERY_CODES.invalidParameters]: GRPC.invalidArgument,
  [QUERY_CODES.timeout]: GRPC.deadlineExceeded,
  [QUERY_CODES.limit]: GRPC.resourceExhausted,
  [QUERY_CODES.unsupported]: GRPC.unimplemented,
  [QUERY_CODES.tooLarge]: GRPC.resourceExhausted,
  [QUERY_CODES.blockNotTold]: GRPC.outOfRange,
}

const SDK_TO_GRPC: Readonly<Record<number, number>> = {
  [SDK_CODES.invalidAddress]: GRPC.invalidArgument,
  [SDK_CODES.unknownAddress]: GRPC.notFound,
  [SDK_CODES.invalidCoins]: GRPC.invalidArgument,
  [SDK_CODES.invalidRequest]: GRPC.invalidArgument,
  [SDK_CODES.keyNotFound]: GRPC.notFound,
  [SDK_CODES.notFound]: GRPC.notFound,
}

/** The SDK words an error that has no status of its own with the text of its code in front, and not at the end. */
const turn = (message: string): string => {
  const at = message.lastIndexOf(': ')
  return at === -1 ? message : `${message.slice(at + 2)}: ${message.slice(0, at)}`
}

const ofCodedError = (error: CodedError): GrpcStatus => {
  const { codespace, code, message } = error
  if (codespace === 'grpc') return { code, message }
  if (codespace === 'query') return { code: QUERY_TO_GRPC[code] ?? GRPC.unknown, message }
  if (isRpcError(error, 'unavailable')) return { code: GRPC.unavailable, message }
  if (isRpcError(error, 'timeout')) return { code: GRPC.deadlineExceeded, message }
  if (isRpcError(error, 'rateLimited')) return { code: GRPC.resourceExhausted, message }
  if (isRpcError(error, 'responseTooLarge')) return { code: GRPC.resourceExhausted, message }
  if (isRpcError(error, 'invalidParameters')) return { code: GRPC.invalidArgument, message }
  if (codespace === 'rpc') return { code: GRPC.internal, message }
  const known = codespace === 'sdk' ? SDK_TO_GRPC[code] : undefined
  if (known === undefined)
    return { code: GRPC.unknown, message: `codespace ${codespace} code ${code}: ${turn(message)}` }
  return { code: known, message }
}

export const toGrpcStatus = (error: unknown, path: string, log: GatewayLog): GrpcStatus => {
  if (error instanceof CodedError && !isFault(error)) return ofCodedError(error)
  log.error(`native query ${path} failed`, {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return { code: GRPC.internal, message: INTERNAL_ERROR_TEXT }
}

/** HTTP status by gRPC code, from 0 (OK) to 16 (Unauthenticated). */
const HTTP_STATUSES = [200, 408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401] as const

export const toHttpStatus = (code: number): number => HTTP_STATUSES[code] ?? 500

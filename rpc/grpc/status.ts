/** Statuses of gRPC: those codes that are used here. */
export const GRPC = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const

export interface GrpcStatus {
  readonly code: number
  readonly message: string
}

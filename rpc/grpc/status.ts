/** Statuses of gRPC. */
export { GRPC } from '../../core/grpc-status.ts'

export interface GrpcStatus {
  readonly code: number
  readonly message: string
}

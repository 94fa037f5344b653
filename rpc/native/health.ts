/**
 * grpc.health.v1.Health/Check, for orchestrators and load balancers. `Watch` is left out, which the protocol allows: clients
 * then ask again. The messages have a field each, and are read and written by number; see grpc/health/v1/health.proto.
 */
import type { DescService } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { CodedError } from '../../core/errors.ts'
import type { UnaryMethod } from '../grpc/methods.ts'
import { GRPC } from '../grpc/status.ts'
import { invalidArgument } from './parse-parameter.ts'

export const HEALTH_CHECK_PATH = '/grpc.health.v1.Health/Check'

/** HealthCheckRequest.service, HealthCheckResponse.status. */
const FIELD = 1
const SERVING = 1
const NOT_SERVING = 2

/** The service that is asked for; the whole server when it is empty. */
const readService = (bytes: Uint8Array): string => {
  const reader = new BinaryReader(bytes)
  let service = ''
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      if (number === FIELD && wireType === WireType.LengthDelimited) service = reader.string()
      else reader.skip(wireType)
    }
  } catch (error) {
    throw invalidArgument(`the request cannot be read: ${(error as Error).message}`)
  }
  return service
}

/** SERVING while the application answers, as `/readyz`. Throws grpc/5 for a service that is not served. */
export const healthMethod = (services: readonly DescService[], isReady: () => boolean): UnaryMethod => {
  const names = new Set(['', ...services.map(({ typeName }) => typeName)])
  return {
    kind: 'unary',
    answer: (request) => {
      const service = readService(request)
      if (!names.has(service))
        return Promise.reject(new CodedError('grpc', GRPC.notFound, `unknown service ${service}`))
      const writer = new BinaryWriter().tag(FIELD, WireType.Varint).uint32(isReady() ? SERVING : NOT_SERVING)
      return Promise.resolve({ bytes: writer.finish(), metadata: {} })
    },
  }
}

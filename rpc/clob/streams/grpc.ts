/** nat.clob.v1.Stream over gRPC: the same streams, each a call that ends with a status where it cannot go on. */
import { type DescMethod, fromBinary } from '@bufbuild/protobuf'
import type { Asker } from '../../../app/ports.ts'
import { errorText } from '../../../core/errors.ts'
import { clobStream } from '../../../proto/index.ts'
import { invalidArgument } from '../../native/parse-parameter.ts'
import { methodPath } from '../../native/services.ts'
import type { FollowMethod, GrpcCaller } from '../../grpc/methods.ts'
import { GRPC } from '../../grpc/status.ts'
import type { StreamHub } from './hub.ts'
import { type AnyRequest, type StreamChannel, toStreamRequest } from './request.ts'

const { method } = clobStream.Stream

const CHANNELS: readonly (readonly [DescMethod, StreamChannel])[] = [
  [method.watchBook, 'book'],
  [method.watchOrders, 'orders'],
  [method.watchTrades, 'trades'],
  [method.watchBestPrices, 'bestPrices'],
  [method.watchOwnOrders, 'ownOrders'],
  [method.watchOptimistic, 'optimistic'],
]

/** Throws grpc/3 and rpc/4. */
const readRequest = ({ input }: DescMethod, channel: StreamChannel, bytes: Uint8Array): AnyRequest => {
  try {
    const message: unknown = fromBinary(input, bytes)
    return toStreamRequest(channel, message as Parameters<typeof toStreamRequest>[1])
  } catch (error) {
    throw invalidArgument(errorText(error))
  }
}

export interface StreamCalls {
  readonly streams: StreamHub
  askerOf(caller: GrpcCaller): Asker
  /** Takes note of what the snapshot has cost. */
  charge(caller: GrpcCaller, length: number): void
}

/** The methods by path. */
export const streamMethods = ({ streams, askerOf, charge }: StreamCalls): ReadonlyMap<string, FollowMethod> =>
  new Map(
    CHANNELS.map(([desc, channel]): [string, FollowMethod] => [
      methodPath(desc),
      {
        kind: 'follow',
        async open(request, caller, feed) {
          const asker = askerOf(caller)
          const opening = await streams.open(readRequest(desc, channel, request), asker)
          charge(caller, opening.length)
          if (caller.isOver) return () => undefined
          return streams.join(opening, {
            client: asker.client,
            connection: asker.connection,
            form: 'bytes',
            drained: () => feed.drained(),
            charge: (length) => charge(caller, length),
            send: ({ bytes }) => feed.send(bytes),
            fail: (message) => feed.end({ code: GRPC.unavailable, message }),
          })
        },
      },
    ]),
  )

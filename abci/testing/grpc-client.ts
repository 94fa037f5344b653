/** A client of ABCI's gRPC service, for tests. */
import { create, fromBinary, toBinary, type DescMethod, type MessageInitShape } from '@bufbuild/protobuf'
import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { abci } from '../../proto/index.ts'
import type { AbciMethod, AbciRequest, AbciResponse } from '../handlers.ts'

export interface AbciGrpcClient {
  /** Rejects with grpc-js's ServiceError. */
  call<Method extends AbciMethod>(method: Method, request?: Partial<AbciRequest<Method>>): Promise<AbciResponse<Method>>
  /** A body that need not be a message. */
  send(method: string, body: Uint8Array): Promise<Uint8Array>
  close(): void
}

const describeMethod = (name: string): DescMethod => {
  const method = abci.ABCI.methods.find(({ localName }) => localName === name)
  if (method === undefined) throw new TypeError(`no method ${name}`)
  return method
}

/** `address` as the server names it. Receives no more than CometBFT's client does. */
export const connectGrpc = (address: string): AbciGrpcClient => {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 4 * 1024 * 1024,
    // Each its own connection, as CometBFT's four are.
    'grpc.use_local_subchannel_pool': 1,
  })
  const send = (method: string, body: Uint8Array): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const path = `/${abci.ABCI.typeName}/${method}`
      const pass = (bytes: Buffer): Buffer => bytes
      client.makeUnaryRequest(path, pass, pass, Buffer.from(body), (error: ServiceError | null, answer?: Buffer) => {
        if (error === null) resolve(Uint8Array.from(answer ?? []))
        else reject(error)
      })
    })
  return {
    send,
    async call(method, request) {
      const { input, output, name } = describeMethod(method)
      const message = create(input, request as MessageInitShape<typeof input>)
      return fromBinary(output, await send(name, toBinary(input, message))) as never
    },
    close: () => client.close(),
  }
}

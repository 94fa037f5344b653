/** Unary gRPC calls over bare HTTP/2: a client library would take more of the shared machine than the node does. */
import { type ClientHttp2Session, connect, constants } from 'node:http2'

const FRAME_PREFIX_BYTES = 5
const { HTTP2_HEADER_CONTENT_TYPE, HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_TE } = constants

/** A message without compression. */
const encodeMessage = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(FRAME_PREFIX_BYTES + bytes.length)
  frame.writeUInt8(0, 0)
  frame.writeUInt32BE(bytes.length, 1)
  frame.set(bytes, FRAME_PREFIX_BYTES)
  return frame
}

const callOver = (session: ClientHttp2Session, path: string, request: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const stream = session.request({
      [HTTP2_HEADER_METHOD]: 'POST',
      [HTTP2_HEADER_PATH]: path,
      [HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [HTTP2_HEADER_TE]: 'trailers',
    })
    const chunks: Buffer[] = []
    let status: unknown
    let text: unknown
    // An answer without a message has its status in the headers.
    const read = (headers: Record<string, unknown>): void => {
      status ??= headers['grpc-status']
      text ??= headers['grpc-message']
    }
    stream.on('response', read)
    stream.on('trailers', read)
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', reject)
    stream.on('end', () => {
      if (status === undefined || status === '0') resolve(Buffer.concat(chunks).subarray(FRAME_PREFIX_BYTES))
      else reject(new TypeError(`${path}: gRPC status ${String(status)}: ${String(text)}`))
    })
    stream.end(encodeMessage(request))
  })

export interface GrpcCalls {
  /** Rejects with the status of a call that failed. */
  call(path: string, request: Uint8Array): Promise<Buffer>
  close(): void
}

/** Calls over so many connections to `host:port`, each in its turn. */
export const openCalls = (address: string, connections: number): GrpcCalls => {
  const sessions = Array.from({ length: connections }, () => connect(`http://${address}`))
  let turn = 0
  return {
    call: (path, request) => callOver(sessions[turn++ % connections] as ClientHttp2Session, path, request),
    close: () => sessions.forEach((session) => session.close()),
  }
}

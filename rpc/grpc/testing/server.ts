/** For tests: a server of gRPC, grpc-js's client for it, and clients that write HTTP/2 by hand. */
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectSocket, type Socket } from 'node:net'
import { Client, type ClientUnaryCall, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterEach, expect } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { frameMessage } from '../message.ts'
import type { GrpcCaller, GrpcMethod, UnaryReply } from '../methods.ts'
import { type GrpcHttp2Options, type GrpcHttp2Server, serveGrpcHttp2 } from '../server.ts'

export const MAX_RECEIVE = 1024 * 1024
export const MAX_SEND = 8 * 1024 * 1024
export const PATH = {
  echo: '/t.T/Echo',
  fail: '/t.T/Fail',
  wait: '/t.T/Wait',
  big: '/t.T/Big',
  each: '/t.T/Each',
} as const
export const TEXT = 'Ungültig: 100 % „falsch“ 🙂\n'

const echo = (request: Buffer): Promise<UnaryReply> =>
  Promise.resolve({ bytes: request, metadata: { 'x-length': String(request.length) } })

/** A server of five methods, and those who call it: what they open here ends with the test. */
export class TestServer {
  /** It runs from `start` on. */
  server: GrpcHttp2Server | undefined
  /** Calls of `wait` that have begun; `free` lets them end. */
  waiting: GrpcCaller[] = []
  free: () => void = () => undefined
  readonly #closers: (() => void)[] = []

  get port(): number {
    return this.server?.port ?? 0
  }

  async start(changes: Partial<GrpcHttp2Options> = {}): Promise<GrpcHttp2Server> {
    this.server = await serveGrpcHttp2({
      host: '127.0.0.1',
      port: 0,
      methods: this.createMethods(),
      maxReceiveBytes: MAX_RECEIVE,
      maxSendBytes: MAX_SEND,
      toStatus: (error) =>
        error instanceof CodedError
          ? { code: error.code, message: error.message }
          : { code: 2, message: String(error) },
      ...changes,
    })
    return this.server
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) close()
    this.free()
    await this.server?.close()
    this.server = undefined
  }

  createMethods(): ReadonlyMap<string, GrpcMethod> {
    this.waiting = []
    const freed = new Promise<void>((resolve) => (this.free = resolve))
    return new Map<string, GrpcMethod>([
      [PATH.echo, { kind: 'unary', answer: echo }],
      [PATH.fail, { kind: 'unary', answer: () => Promise.reject(new CodedError('grpc', 5, TEXT)) }],
      [PATH.big, { kind: 'unary', answer: (request) => echo(Buffer.alloc(Number(request.toString()), 7)) }],
      [
        PATH.wait,
        {
          kind: 'unary',
          answer: async (request, caller) => {
            this.waiting.push(caller)
            await freed
            return await echo(request)
          },
        },
      ],
      [
        PATH.each,
        {
          kind: 'stream',
          answer(request) {
            if (request.toString() === 'no') throw new CodedError('grpc', 3, TEXT)
            return request.toString() === 'big' ? Buffer.alloc(100_000) : Buffer.from(request.toString().toUpperCase())
          },
        },
      ],
    ])
  }

  createClient(options: Record<string, number> = {}): Client {
    const client = new Client(`127.0.0.1:${this.port}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      ...options,
    })
    this.#closers.push(() => client.close())
    return client
  }

  openSession(): ClientHttp2Session {
    const session = connect(`http://127.0.0.1:${this.port}`)
    session.on('error', () => undefined)
    this.#closers.push(() => session.destroy())
    return session
  }

  async openSocket(): Promise<Socket> {
    const socket = connectSocket(this.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume()
    this.#closers.push(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }

  /** One call on a new connection. */
  async send(
    body: Uint8Array | undefined,
    headers: Record<string, string> = {},
    path: string = PATH.echo,
  ): Promise<Raw> {
    const stream = request(this.openSession(), path, headers)
    stream.end(body)
    return await read(stream)
  }
}

/** One for all tests of a file: each starts its server, which closes behind it. */
export const useServer = (): TestServer => {
  const grpc = new TestServer()
  afterEach(() => grpc.close())
  return grpc
}

/** The server still answers, on a new connection. */
export const expectAlive = async (grpc: TestServer): Promise<void> => {
  expect(statusOf(await grpc.send(frameMessage(Buffer.from('alive'))))).toEqual(['0', ''])
}

export const same = (bytes: Buffer): Buffer => bytes

interface Reply {
  readonly bytes: Buffer
  readonly metadata: Metadata
}

export const callWith = (
  client: Client,
  path: string,
  request: Uint8Array,
  { deadlineMs, onCall }: { deadlineMs?: number; onCall?: (call: ClientUnaryCall) => void } = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let metadata = new Metadata()
    const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs }
    const body = Buffer.from(request)
    const call = client.makeUnaryRequest(path, same, same, body, new Metadata(), options, (error, bytes) => {
      if (error !== null || bytes === undefined) reject(error ?? new TypeError('no answer'))
      else resolve({ bytes, metadata })
    })
    call.on('metadata', (received: Metadata) => (metadata = received))
    onCall?.(call)
  })

export const failureOf = async (promise: Promise<unknown>): Promise<Pick<ServiceError, 'code' | 'details'>> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as ServiceError,
  )
  return { code: error?.code ?? 0, details: error?.details ?? '' }
}

const HEADERS = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' } as const

export const request = (
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): ClientHttp2Stream => {
  const stream = session.request({ ...HEADERS, ':path': path, ...headers })
  stream.on('error', () => undefined)
  return stream
}

export interface Raw {
  readonly headers: IncomingHttpHeaders
  /** Trailers, or the headers of an answer that has nothing else. */
  readonly end: IncomingHttpHeaders
  readonly bytes: Buffer
  /** Code of the reset that ended the stream; 0 for none. */
  readonly code: number
}

export const read = async (stream: ClientHttp2Stream): Promise<Raw> => {
  let headers: IncomingHttpHeaders = {}
  let end: IncomingHttpHeaders | undefined
  const chunks: Buffer[] = []
  stream.on('response', (received) => (headers = received))
  stream.on('trailers', (received) => (end = received))
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => stream.on('close', resolve))
  return { headers, end: end ?? headers, bytes: Buffer.concat(chunks), code: stream.rstCode ?? 0 }
}

export const statusOf = ({ end }: Raw): readonly [unknown, string] => [
  end['grpc-status'],
  decodeURIComponent(String(end['grpc-message'] ?? '')),
]

/** A prefix without what it announces. */
export const prefixOf = (length: number, flag = 0): Buffer => {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(flag, 0)
  prefix.writeUInt32BE(length, 1)
  return prefix
}

/**
 * gRPC-Web on the REST port: unary calls as POST over HTTP/1.1, for browsers. A body is frames of u8 flags, u32 length
 * and bytes; the last of an answer holds the trailers. In the mode `-text` bodies are base64.
 * See PROTOCOL-WEB.md of grpc.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Asker } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { mostRequestBytes } from '../../core/request-limits.ts'
import { answerCost } from '../costs.ts'
import type { Turns } from '../turns.ts'
import { HEIGHT_HEADER, type NativeQueries, queryCost } from './native-queries.ts'
import { invalidArgument } from './parse-parameter.ts'
import { encodeStatusText } from '../grpc/message.ts'
import { GRPC, type GrpcStatus } from '../grpc/status.ts'

const COMPRESSED = 0x01
/** Room for the prefix of a message, and for trailers that some clients send. */
const FRAMING_BYTES = 1024
const TRAILERS = 0x80
const PREFIX_BYTES = 5

const TYPE = /^application\/grpc-web(-text)?(?:\+([\w-]+))?\s*(?:;|$)/i

export const isGrpcWeb = (request: IncomingMessage): boolean =>
  request.method === 'POST' && TYPE.test(request.headers['content-type'] ?? '')

const frame = (flags: number, bytes: Uint8Array): Buffer => {
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length)
  framed.writeUInt8(flags, 0)
  framed.writeUInt32BE(bytes.length, 1)
  framed.set(bytes, PREFIX_BYTES)
  return framed
}

/** Parts that are encoded by themselves: a call has one message, and no client cuts it into more than a few. */
const MAX_TEXT_PARTS = 1_000

/** Clients may encode every frame by itself: each ends with its padding. Throws grpc/3. */
const decodeText = (body: Buffer): Buffer => {
  const parts: Buffer[] = []
  for (const [part] of body.toString('latin1').matchAll(/[^=\s]+={0,2}/g)) {
    if (parts.length >= MAX_TEXT_PARTS) throw invalidArgument(`the body has more than ${MAX_TEXT_PARTS} parts`)
    parts.push(Buffer.from(part, 'base64'))
  }
  return Buffer.concat(parts)
}

/** A prefix, a message as long as its method takes, and trailers; in text, what base64 adds and its parts are filled up with. */
const mostBodyBytes = (path: string, isText: boolean): number => {
  const most = mostRequestBytes(path) + FRAMING_BYTES
  return isText ? most * 2 : most
}

/** Throws grpc/3, and grpc/12 for a compressed message. */
const readMessage = (body: Buffer): Buffer => {
  if (body.length < PREFIX_BYTES) throw invalidArgument('the body holds no message')
  const flags = body.readUInt8(0)
  const length = body.readUInt32BE(1)
  if (flags === COMPRESSED) throw new CodedError('grpc', GRPC.unimplemented, 'compressed messages are not taken')
  if (flags !== 0) throw invalidArgument(`unknown flags ${flags}`)
  if (body.length !== PREFIX_BYTES + length) {
    throw invalidArgument(`the body has ${body.length - PREFIX_BYTES} bytes after its prefix, which says ${length}`)
  }
  return body.subarray(PREFIX_BYTES)
}

const trailers = ({ code, message }: GrpcStatus): Buffer => {
  const text = message === '' ? '' : `grpc-message: ${encodeStatusText(message)}\r\n`
  return frame(TRAILERS, Buffer.from(`grpc-status: ${code}\r\n${text}`, 'latin1'))
}

export interface GrpcWebOptions {
  readonly queries: NativeQueries
  /** Reads a body of at most so many bytes. Throws grpc/3 for a longer one. */
  readonly receive: (request: IncomingMessage, most: number) => Promise<Buffer>
  readonly charge: (request: IncomingMessage, cost: number) => void
  /** The refusal of an address that has used up its rate. */
  readonly limited: (request: IncomingMessage, response: ServerResponse, cost: number) => GrpcStatus | undefined
  /** Finds who asks, named as clientOf of limits.ts names a client. */
  readonly findAsker: (request: IncomingMessage) => Asker
  readonly turns: Turns
  /** Throws grpc/8 where the gateway has no room for an answer of so many bytes. */
  readonly holdAnswer: (request: IncomingMessage, response: ServerResponse, bytes: number) => void
  /** Maps a failure to what the client reads. */
  readonly toStatus: (error: unknown, path: string) => GrpcStatus
}

const OK: GrpcStatus = { code: 0, message: '' }

/** Answers always with HTTP 200: the status stands in the trailers. */
export const createGrpcWeb =
  ({ queries, receive, charge, limited, toStatus, findAsker, turns, holdAnswer }: GrpcWebOptions) =>
  async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const [, text, format] = TYPE.exec(request.headers['content-type'] ?? '') ?? []
    const isText = text !== undefined

    const answer = async (): Promise<Buffer> => {
      const refusal = limited(request, response, queryCost(path))
      if (refusal !== undefined) return trailers(refusal)
      try {
        if (format !== undefined && format !== 'proto') throw invalidArgument(`the format ${format} is not served`)
        const body = await receive(request, mostBodyBytes(path, isText))
        const message = await turns.take(request.socket, body.length, () =>
          readMessage(isText ? decodeText(body) : body),
        )
        const height = request.headers[HEIGHT_HEADER]
        const written = Array.isArray(height) ? height[0] : height
        const reply = await queries.ask(path, message, written, findAsker(request))
        charge(request, answerCost(reply.bytes.length))
        holdAnswer(request, response, reply.bytes.length)
        response.setHeader(HEIGHT_HEADER, String(reply.height))
        return Buffer.concat([frame(0, reply.bytes), trailers(OK)])
      } catch (error) {
        return trailers(toStatus(error, path))
      }
    }
    const bytes = await answer()
    if (!request.complete) response.setHeader('Connection', 'close')
    const body = isText ? Buffer.from(bytes.toString('base64'), 'latin1') : bytes
    response.writeHead(200, {
      'Content-Type': `application/grpc-web${isText ? '-text' : ''}+proto`,
      'Content-Length': body.length,
    })
    response.end(body)
  }

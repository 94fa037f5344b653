/** What every call of gRPC has, whatever its kind: what came with its headers, and one status at its end. */
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { MemoryShare } from '../memory-budget.ts'
import type { ByteBudget } from './byte-budget.ts'
import type { Decompressor } from './decompress.ts'
import { ACCEPTED_ENCODINGS, encodeStatusText, frameMessage, parseTimeout, PREFIX_BYTES } from './message.ts'
import { type GrpcMessage, MessageReader } from './message-reader.ts'
import { GRPC, type GrpcStatus } from './status.ts'

/** Shared by all calls of a server. */
export interface CallSettings {
  readonly maxReceiveBytes: number
  /** Bytes of a request, by the path of its method. */
  readonly mostRequestBytes: (path: string) => number
  readonly maxSendBytes: number
  /** Time from the headers of a request, or from the first bytes of a message in a stream, to its end. */
  readonly receiveTimeoutMs: number
  /** Time that a client has to take an answer. */
  readonly sendTimeoutMs: number
  /** The bytes of requests that have not come as a whole. */
  readonly unfinished: ByteBudget
  /** The bytes of large answers that have not been taken as a whole. */
  readonly unsent: ByteBudget
  readonly decompressor: Decompressor
  /** Maps a failure to what the client reads. */
  readonly toStatus: (error: unknown, path: string) => GrpcStatus
}

/** Who calls. */
export interface GrpcPeer {
  /** The address of the client's socket; empty when that has gone. */
  readonly remoteAddress: string
  /** What it holds of the gateway's memory. */
  readonly memory: MemoryShare
  /** A part of a call has come; `isPiece` where it ended no message. */
  arrived(bytes: number, isPiece: boolean): void
  /** A call has asked something: what came with it was no noise. */
  asked(headers: IncomingHttpHeaders): void
  /** A call has ended before its client had ended its side. */
  unread(): void
  /** Cuts off its connection, whatever runs on it. */
  destroy(): void
}

/** More than this is not sent at once: HTTP/2 lets a client have 64 KiB of a stream without taking any. */
const LARGE_ANSWER_BYTES = 64 * 1024

const HEADERS: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': ACCEPTED_ENCODINGS,
}
const WITH_TRAILERS = { waitForTrailers: true, sendDate: false } as const
const WITHOUT_BODY = { endStream: true, sendDate: false } as const
const OK_TRAILERS: OutgoingHttpHeaders = { 'grpc-status': '0' }
export const OK: GrpcStatus = { code: 0, message: '' }

const trailersOf = ({ code, message }: GrpcStatus): OutgoingHttpHeaders =>
  code === 0 ? OK_TRAILERS : { 'grpc-status': String(code), 'grpc-message': encodeStatusText(message) }

function sendOk(this: ServerHttp2Stream): void {
  if (!this.destroyed && !this.closed) this.sendTrailers(OK_TRAILERS)
}

/** Answers with a status of HTTP: what comes is no call of gRPC. */
export const refuseHttp = (stream: ServerHttp2Stream, status: number): undefined => {
  stream.respond({ ':status': status }, WITHOUT_BODY)
  stream.close(constants.NGHTTP2_NO_ERROR)
}

export class GrpcCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly stream: ServerHttp2Stream
  readonly reader: MessageReader
  readonly #peer: GrpcPeer
  readonly #settings: CallSettings
  /** The most bytes of a message, as it comes and decompressed. */
  readonly #maxBytes: number
  #isEnded = false
  #isReceived = false
  #deadline: NodeJS.Timeout | undefined
  #receiving: NodeJS.Timeout | undefined
  #sending: NodeJS.Timeout | undefined
  #unsentBytes = 0

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: GrpcPeer, settings: CallSettings) {
    this.path = headers[':path'] ?? ''
    this.headers = headers
    this.stream = stream
    this.#peer = peer
    this.#settings = settings
    this.#maxBytes = Math.min(settings.maxReceiveBytes, settings.mostRequestBytes(this.path))
    this.reader = new MessageReader(this.#maxBytes, settings.unfinished, peer.memory)
    const timeout = headers['grpc-timeout']
    if (timeout !== undefined) this.#limitTime(String(timeout))
  }

  get remoteAddress(): string {
    return this.#peer.remoteAddress
  }

  /** Whether the client has its status, or has gone: nothing more is written, and nothing that comes is read. */
  get isOver(): boolean {
    return this.#isEnded || this.stream.destroyed || this.stream.closed
  }

  /** Ends the call with DEADLINE_EXCEEDED unless {@link stopReceiving} comes in time. */
  startReceiving(): void {
    this.#receiving ??= setTimeout(() => {
      this.end({ code: GRPC.deadlineExceeded, message: 'the request did not come as a whole in time' })
    }, this.#settings.receiveTimeoutMs)
  }

  stopReceiving(): void {
    clearTimeout(this.#receiving)
    this.#receiving = undefined
  }

  /** A part of a message has come, or more of them; `isPiece` where none ended with it. */
  arrived(bytes: number, isPiece: boolean): void {
    this.#peer.arrived(bytes, isPiece)
  }

  /** Its request is there as a whole. */
  asked(): void {
    this.#peer.asked(this.headers)
  }

  /** The client has ended its side. */
  received(): void {
    this.#isReceived = true
    this.stopReceiving()
  }

  /** The bytes of a message, decompressed. Rejects with grpc/8, 12 and 13. */
  async open({ isCompressed, bytes }: GrpcMessage): Promise<Buffer> {
    if (!isCompressed) return bytes
    const { decompressor } = this.#settings
    const maxBytes = this.#maxBytes
    const encoding = this.headers['grpc-encoding']?.toString()
    return await decompressor.decompress({ bytes, encoding, maxBytes, isWanted: () => !this.isOver })
  }

  /** The one message of a unary call, and the status OK. `metadata` are headers in front of it. */
  answer(bytes: Uint8Array, metadata: OutgoingHttpHeaders): void {
    if (this.isOver || !this.#requireShort(bytes)) return
    if (bytes.length > LARGE_ANSWER_BYTES && !this.#hold(bytes.length)) {
      this.end({ code: GRPC.resourceExhausted, message: 'too many large answers are being sent, try again' })
      return
    }
    this.#finish()
    const { stream } = this
    stream.respond({ ...HEADERS, ...metadata }, WITH_TRAILERS)
    stream.on('wantTrailers', sendOk)
    stream.end(frameMessage(bytes))
    this.#limitSending(this.#settings.sendTimeoutMs)
  }

  /** One message of many. False when the client has not taken those before: `drain` of the stream tells when it has. */
  write(bytes: Uint8Array): boolean {
    if (this.isOver || !this.#requireShort(bytes)) return true
    if (!this.stream.headersSent) this.stream.respond(HEADERS, WITH_TRAILERS)
    return this.stream.write(frameMessage(bytes))
  }

  /** Takes note of bytes that wait for the client; false where its connection holds too many. */
  hold(bytes: number): boolean {
    return this.#peer.memory.hold(bytes)
  }

  /** Gives back bytes that {@link hold} took note of. */
  give(bytes: number): void {
    this.#peer.memory.give(bytes)
  }

  /** Ends with what {@link CallSettings.toStatus} makes of an error. */
  fail(error: unknown): void {
    this.end(this.#settings.toStatus(error, this.path))
  }

  /** Only the first status counts. */
  end(status: GrpcStatus): void {
    if (this.isOver) return
    this.#finish()
    const { stream } = this
    const trailers = trailersOf(status)
    if (stream.headersSent) {
      stream.on('wantTrailers', () => {
        if (stream.destroyed || stream.closed) return
        stream.sendTrailers(trailers)
        // The client is stopped behind the trailers, which Node sends in a later turn.
        setImmediate(() => this.#stopClient())
      })
      stream.end()
    } else {
      stream.respond({ ...HEADERS, ...trailers }, WITHOUT_BODY)
      this.#stopClient()
    }
  }

  /** The stream is no more. */
  closed(): void {
    this.#finish()
    if (!this.#isReceived) this.#peer.unread()
    this.#stopSending()
    this.#settings.unsent.give(this.#unsentBytes, this.#peer.memory)
    this.#unsentBytes = 0
  }

  /** The stream ends, for a client that does not take what it was sent takes no word of an end either. */
  #limitSending(timeoutMs: number): void {
    this.#sending ??= setTimeout(() => {
      this.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      // What it still has to write would keep it.
      this.stream.destroy()
    }, timeoutMs)
  }

  #stopSending(): void {
    clearTimeout(this.#sending)
    this.#sending = undefined
  }

  /** A client that still sends is told that nobody reads on (RFC 9113, section 8.1). */
  #stopClient(): void {
    if (this.#isReceived) return
    this.stream.resume()
    this.stream.close(constants.NGHTTP2_NO_ERROR)
  }

  #finish(): void {
    this.#isEnded = true
    clearTimeout(this.#deadline)
    this.stopReceiving()
    this.reader.release()
  }

  #requireShort({ length }: Uint8Array): boolean {
    const { maxSendBytes } = this.#settings
    if (length <= maxSendBytes) return true
    const message = `Sent message larger than max (${length + PREFIX_BYTES} vs. ${maxSendBytes})`
    this.end({ code: GRPC.resourceExhausted, message })
    return false
  }

  #hold(bytes: number): boolean {
    const { unsent, sendTimeoutMs } = this.#settings
    if (!unsent.take(bytes, this.#peer.memory)) return false
    this.#unsentBytes = bytes
    // The call ends together with its connection: a client that does not read takes no word of an end either.
    this.#sending = setTimeout(() => this.#peer.destroy(), sendTimeoutMs)
    return true
  }

  #limitTime(text: string): void {
    const timeoutMs = parseTimeout(text)
    if (timeoutMs === undefined) {
      this.end({ code: GRPC.internal, message: `Invalid grpc-timeout value "${text}"` })
      return
    }
    this.#deadline = setTimeout(() => {
      this.end({ code: GRPC.deadlineExceeded, message: 'Deadline exceeded' })
    }, timeoutMs)
  }
}

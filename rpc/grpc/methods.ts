/** The kinds of methods that are served, and how their calls run. */
import { once } from 'node:events'
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { CodedError } from '../../core/errors.ts'
import type { Ending } from '../asker.ts'
import { afterLateArrivals } from '../arrival.ts'
import { type GrpcCall, OK } from './grpc-call.ts'
import type { GrpcMessage } from './message-reader.ts'
import { GRPC, type GrpcStatus } from './status.ts'

/** What a method is told of a call. */
export interface GrpcCaller {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The address of the client's socket; empty when that has gone. */
  readonly remoteAddress: string
  /** It ends with the call, and its session with the connection. */
  readonly stream: Ending & { readonly session?: Ending | undefined }
  /** Whether nobody waits for an answer any more: the client has gone, or its time has passed. */
  readonly isOver: boolean
}

export interface UnaryReply {
  readonly bytes: Uint8Array
  /** Headers in front of the message, their names in lower case. */
  readonly metadata: OutgoingHttpHeaders
}

/** One request, one answer. What it rejects with becomes the status. */
export interface UnaryMethod {
  readonly kind: 'unary'
  answer(request: Buffer, caller: GrpcCaller): Promise<UnaryReply>
}

/** A stream of requests, each with one answer. What it throws becomes the status. */
export interface StreamMethod {
  readonly kind: 'stream'
  answer(request: Buffer, caller: GrpcCaller): Uint8Array
}

/** A method that is watched tells here what is new. */
export interface Feed {
  /** Takes the place of what the client has not been sent yet: who reads slowly sees the newest. */
  send(bytes: Uint8Array): void
  end(status: GrpcStatus): void
}

/** One request, and answers for as long as the client listens. What it throws becomes the status. */
export interface WatchMethod {
  readonly kind: 'watch'
  /** Returns how to stop: called once the client has gone, also when the feed has ended. */
  open(request: Buffer, caller: GrpcCaller, feed: Feed): () => void
}

/** A method that is followed tells here what comes: all of it, in order. */
export interface WholeFeed {
  /** Nothing is left out: the call of a client that reads too slowly ends. */
  send(bytes: Uint8Array): void
  end(status: GrpcStatus): void
  /** Resolves when nothing waits for the client, or when it has gone. */
  drained(): Promise<void>
}

/** One request, and answers of which the client misses none. What it rejects with becomes the status. */
export interface FollowMethod {
  readonly kind: 'follow'
  /** Resolves to how to stop: called once the client has gone, also when the feed has ended. */
  open(request: Buffer, caller: GrpcCaller, feed: WholeFeed): Promise<() => void>
}

export type GrpcMethod = UnaryMethod | StreamMethod | WatchMethod | FollowMethod

/** Throws grpc/13 for a request that ends before its message does. */
const requireWhole = ({ reader }: GrpcCall): void => {
  if (reader.isWithin) throw new CodedError('grpc', GRPC.internal, 'Received a request that ends within a message')
}

// The words of grpc-js, also where they do not fit.
const cardinality = (words: string, path: string): CodedError =>
  new CodedError('grpc', GRPC.unimplemented, `Received ${words} request message for server streaming method ${path}`)

const runUnary = async (call: GrpcCall, method: UnaryMethod, message: GrpcMessage): Promise<void> => {
  try {
    const request = message.isCompressed ? await call.open(message) : message.bytes
    call.reader.release()
    if (call.isOver) return
    const { bytes, metadata } = await method.answer(request, call)
    call.answer(bytes, metadata)
  } catch (error) {
    call.fail(error)
  }
}

class LatestFeed implements Feed {
  readonly #call: GrpcCall
  #isBlocked = false
  #latest: Uint8Array | undefined

  constructor(call: GrpcCall) {
    this.#call = call
  }

  send(bytes: Uint8Array): void {
    this.#latest = bytes
    if (!this.#isBlocked) this.#flush()
  }

  end(status: GrpcStatus): void {
    this.#call.end(status)
  }

  #flush(): void {
    const latest = this.#latest
    this.#latest = undefined
    if (latest === undefined || this.#call.write(latest)) return
    this.#isBlocked = true
    this.#call.stream.once('drain', () => {
      this.#isBlocked = false
      this.#flush()
    })
  }
}

const runWatch = async (call: GrpcCall, method: WatchMethod, message: GrpcMessage): Promise<void> => {
  try {
    const request = message.isCompressed ? await call.open(message) : message.bytes
    call.reader.release()
    if (call.isOver) return
    const stop = method.open(request, call, new LatestFeed(call))
    call.stream.on('close', stop)
  } catch (error) {
    call.fail(error)
  }
}

/** Bytes that wait for a client: more is too slow. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024
/** What a client that has not read has left to take the status. */
const END_GRACE_MS = 5_000
const TOO_SLOW: GrpcStatus = { code: GRPC.resourceExhausted, message: 'too slow: messages were left unread' }

class QueueFeed implements WholeFeed {
  readonly #call: GrpcCall
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** Bytes that the stream has, and the client has not taken yet. */
  #writtenBytes = 0
  #isBlocked = false
  #onDrained: (() => void)[] = []

  constructor(call: GrpcCall) {
    this.#call = call
  }

  drained(): Promise<void> {
    if (!this.#isBlocked || this.#call.isOver) return Promise.resolve()
    return new Promise((resolve) => this.#onDrained.push(resolve))
  }

  send(bytes: Uint8Array): void {
    if (this.#call.isOver) return
    if (!this.#isBlocked) this.#write(bytes)
    else if (this.#waitingBytes + bytes.length <= MAX_WAITING_BYTES && this.#call.hold(bytes.length)) {
      this.#waiting.push(bytes)
      this.#waitingBytes += bytes.length
    } else this.end(TOO_SLOW)
  }

  end(status: GrpcStatus): void {
    this.drop()
    this.#call.end(status)
    // A client that does not read takes no word of an end either.
    const { stream } = this.#call
    if (this.#isBlocked) setTimeout(() => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM), END_GRACE_MS).unref()
  }

  /** What waits is not sent any more. */
  drop(): void {
    this.#call.give(this.#waitingBytes + this.#writtenBytes)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#writtenBytes = 0
    this.#tellDrained()
  }

  #tellDrained(): void {
    for (const tell of this.#onDrained.splice(0)) tell()
  }

  #write(bytes: Uint8Array): void {
    // The stream has a copy of its own, of up to the longest message: a snapshot that nobody takes must not be free.
    if (!this.#call.hold(bytes.length)) return this.end(TOO_SLOW)
    if (this.#call.write(bytes)) return this.#call.give(bytes.length)
    this.#writtenBytes = bytes.length
    this.#isBlocked = true
    this.#call.stream.once('drain', () => this.#resume())
  }

  #resume(): void {
    this.#call.give(this.#writtenBytes)
    this.#writtenBytes = 0
    this.#isBlocked = false
    let sent = 0
    for (const bytes of this.#waiting) {
      sent++
      this.#waitingBytes -= bytes.length
      this.#call.give(bytes.length)
      this.#write(bytes)
      if (this.#isBlocked || this.#call.isOver) break
    }
    this.#waiting.splice(0, sent)
    if (!this.#isBlocked) this.#tellDrained()
  }
}

const runFollow = async (call: GrpcCall, method: FollowMethod, message: GrpcMessage): Promise<void> => {
  const feed = new QueueFeed(call)
  try {
    const request = message.isCompressed ? await call.open(message) : message.bytes
    call.reader.release()
    if (call.isOver) return
    const stop = await method.open(request, call, feed)
    const leave = (): void => {
      stop()
      feed.drop()
    }
    if (call.stream.destroyed || call.stream.closed) leave()
    else call.stream.on('close', leave)
  } catch (error) {
    feed.drop()
    call.fail(error)
  }
}

/** Does work on a message of some length when it is its connection's turn. */
type TakeTurn = <Result>(length: number, work: () => Result) => Promise<Result>

/** `run` begins with the one message, once the client has ended its side. */
const serveOne = <Method>(
  call: GrpcCall,
  method: Method,
  run: (call: GrpcCall, method: Method, message: GrpcMessage) => Promise<void>,
  takeTurn: TakeTurn,
): void => {
  const { stream, reader, path } = call
  let message: GrpcMessage | undefined
  call.startReceiving()
  stream.on('data', (chunk: Buffer) => {
    if (call.isOver) return call.arrived(chunk.length, true)
    try {
      reader.push(chunk)
      for (let next = reader.next(); next !== undefined; next = reader.next()) {
        if (message !== undefined) throw cardinality('a second', path)
        message = next
      }
    } catch (error) {
      message = undefined
      call.fail(error)
    }
    call.arrived(chunk.length, message === undefined)
  })
  stream.on('end', () => {
    call.received()
    if (call.isOver) return
    try {
      requireWhole(call)
      if (message === undefined) throw cardinality('no', path)
      call.asked()
      const whole = message
      message = undefined
      afterLateArrivals(() => void takeTurn(whole.bytes.length, () => call.isOver || void run(call, method, whole)))
    } catch (error) {
      call.fail(error)
    }
  })
}

/** One message after another: a client that does not read its answers is not asked for more. */
const serveStream = async (call: GrpcCall, method: StreamMethod, takeTurn: TakeTurn): Promise<void> => {
  const { stream, reader } = call
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      reader.push(chunk)
      let isPiece = true
      for (let next = reader.next(); next !== undefined; next = reader.next()) {
        isPiece = false
        call.stopReceiving()
        const request = await call.open(next)
        reader.release()
        // Without the turn, nothing else would come between the messages of one chunk.
        const isTaken = await takeTurn(request.length, () => call.isOver || call.write(method.answer(request, call)))
        if (call.isOver) return
        if (!isTaken) await once(stream, 'drain')
      }
      call.arrived(chunk.length, isPiece)
      if (call.isOver) return
      if (reader.isWithin) call.startReceiving()
    }
    call.received()
    requireWhole(call)
    call.end(OK)
  } catch (error) {
    // A client that goes ends the stream of its requests with an error too.
    if (!call.isOver) call.fail(error)
  } finally {
    // What nobody reads would keep the stream.
    stream.resume()
  }
}

export const serveCall = (call: GrpcCall, method: GrpcMethod, takeTurn: TakeTurn): void => {
  // Its headers alone may have ended it.
  if (call.isOver) return
  if (method.kind === 'unary') serveOne(call, method, runUnary, takeTurn)
  else if (method.kind === 'watch') serveOne(call, method, runWatch, takeTurn)
  else if (method.kind === 'follow') serveOne(call, method, runFollow, takeTurn)
  else void serveStream(call, method, takeTurn)
}

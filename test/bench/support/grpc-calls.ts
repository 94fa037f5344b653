/**
 * Unary gRPC calls over frames of HTTP/2 that are written by hand (RFC 9113): a client library, and Node's own HTTP/2,
 * would take more of the shared machine than the node does that is measured. Only what a node on loopback needs.
 */
import { connect, type Socket } from 'node:net'
import { invariant } from '../../../core/errors.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const FRAME_HEADER_BYTES = 9
const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const
const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8 } as const
const SETTING = { headerTableSize: 1, enablePush: 2, initialWindowSize: 4 } as const
const DEFAULT_WINDOW = 65_535
const LARGEST_WINDOW = 0x7fff_ffff
const MESSAGE_PREFIX_BYTES = 5

const frame = (type: number, flags: number, stream: number, payload: Uint8Array): Buffer => {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes.writeUInt8(type, 3)
  bytes.writeUInt8(flags, 4)
  bytes.writeUInt32BE(stream, 5)
  bytes.set(payload, FRAME_HEADER_BYTES)
  return bytes
}

const settings = (values: readonly (readonly [number, number])[]): Buffer => {
  const payload = Buffer.alloc(6 * values.length)
  for (const [index, [name, value]] of values.entries()) {
    payload.writeUInt16BE(name, 6 * index)
    payload.writeUInt32BE(value, 6 * index + 2)
  }
  return frame(FRAME.settings, 0, 0, payload)
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** HPACK (RFC 7541) without its dynamic table: a header whose name stands in the static table at `index` below 127. */
const literal = (index: number, value: string): Buffer => {
  const name = index < 15 ? [index] : [15, index - 15]
  return Buffer.from([...name, value.length, ...Buffer.from(value, 'latin1')])
}
const POST = 0x83
const HTTP = 0x86
const [AUTHORITY, PATH, CONTENT_TYPE] = [1, 4, 31]
const TE = Buffer.from([0, 2, ...Buffer.from('te'), 8, ...Buffer.from('trailers')])

const headersOf = (authority: string, path: string): Buffer =>
  Buffer.concat([
    Buffer.from([POST, HTTP]),
    literal(PATH, path),
    literal(AUTHORITY, authority),
    literal(CONTENT_TYPE, 'application/grpc'),
    TE,
  ])

interface Call {
  readonly path: string
  message: Buffer | undefined
  resolve(message: Buffer): void
  reject(error: Error): void
}

class Connection {
  readonly #socket: Socket
  readonly #authority: string
  readonly #headers = new Map<string, Buffer>()
  readonly #calls = new Map<number, Call>()
  #unread: Buffer = Buffer.alloc(0)
  #nextStream = 1
  /** Bytes that the node takes of all streams, and what waits for more of them. */
  #window = DEFAULT_WINDOW
  readonly #waiting: { readonly bytes: Buffer; readonly size: number }[] = []
  #isCorked = false

  constructor(authority: string) {
    const [host = '', port] = authority.split(':')
    this.#authority = authority
    this.#socket = connect({ host, port: Number(port), noDelay: true })
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new TypeError('the connection was closed')))
    this.#socket.write(PREFACE)
    this.#socket.write(
      settings([
        [SETTING.headerTableSize, 0],
        [SETTING.enablePush, 0],
        [SETTING.initialWindowSize, LARGEST_WINDOW],
      ]),
    )
    this.#socket.write(frame(FRAME.windowUpdate, 0, 0, uint32(LARGEST_WINDOW - DEFAULT_WINDOW)))
  }

  /** Calls without an answer yet. */
  get waiting(): number {
    return this.#calls.size
  }

  call(path: string, request: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#nextStream
      this.#nextStream += 2
      this.#calls.set(stream, { path, message: undefined, resolve, reject })
      const message = Buffer.allocUnsafe(MESSAGE_PREFIX_BYTES + request.length)
      message.writeUInt8(0, 0)
      message.writeUInt32BE(request.length, 1)
      message.set(request, MESSAGE_PREFIX_BYTES)
      invariant(message.length <= DEFAULT_WINDOW >> 2, 'requests are small: a stream has room for all of one')
      const headers = frame(FRAME.headers, FLAG.endHeaders, stream, this.#headersOf(path))
      const bytes = Buffer.concat([headers, frame(FRAME.data, FLAG.endStream, stream, message)])
      this.#waiting.push({ bytes, size: message.length })
      this.#send()
    })
  }

  close(): void {
    this.#socket.end()
  }

  #headersOf(path: string): Buffer {
    const known = this.#headers.get(path)
    if (known !== undefined) return known
    const made = headersOf(this.#authority, path)
    this.#headers.set(path, made)
    return made
  }

  /** What is asked in one turn of the loop goes out in one write. */
  #send(): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      setImmediate(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    for (let next = this.#waiting[0]; next !== undefined && next.size <= this.#window; next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#window -= next.size
      this.#socket.write(next.bytes)
    }
  }

  #fail(error: Error): void {
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const { reject } of calls) reject(error)
  }

  #read(chunk: Buffer): void {
    const bytes = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk])
    let at = 0
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      const payload = bytes.subarray(at + FRAME_HEADER_BYTES, end)
      this.#readFrame(bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), bytes.readUInt32BE(at + 5), payload)
      at = end
    }
    this.#unread = bytes.subarray(at)
  }

  #readFrame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === FRAME.data) {
      invariant((flags & FLAG.padded) === 0, 'the node pads no frames')
      const call = this.#calls.get(stream)
      if (call !== undefined)
        call.message = call.message === undefined ? payload : Buffer.concat([call.message, payload])
    }
    if ((type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0) this.#end(stream)
    if (type === FRAME.reset) this.#refuse(stream)
    if (type === FRAME.goAway) this.#fail(new TypeError('the node ends the connection'))
    if (type === FRAME.windowUpdate && stream === 0) {
      this.#window += payload.readUInt32BE(0)
      this.#send()
    }
    if (type === FRAME.settings && (flags & FLAG.ack) === 0) {
      this.#socket.write(frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0)))
    }
    if (type === FRAME.ping && (flags & FLAG.ack) === 0) this.#socket.write(frame(FRAME.ping, FLAG.ack, 0, payload))
  }

  /** A call that succeeds has a message; one that fails has its status in the headers alone, which are not read here. */
  #end(stream: number): void {
    const call = this.#calls.get(stream)
    if (call?.message === undefined) return this.#refuse(stream)
    this.#calls.delete(stream)
    call.resolve(call.message.subarray(MESSAGE_PREFIX_BYTES))
  }

  #refuse(stream: number): void {
    const call = this.#calls.get(stream)
    this.#calls.delete(stream)
    call?.reject(new TypeError(`${call.path}: the node answered with an error`))
  }
}

export interface GrpcCalls {
  /** Rejects when the node answers with an error or the connection ends. */
  call(path: string, request: Uint8Array): Promise<Buffer>
  close(): void
}

/** Calls over so many connections to `host:port`, each over the one that waits for the fewest answers. */
export const openCalls = (address: string, connections: number): GrpcCalls => {
  const all = Array.from({ length: connections }, () => new Connection(address))
  return {
    call: (path, request) =>
      all.reduce((least, each) => (each.waiting < least.waiting ? each : least)).call(path, request),
    close: () => all.forEach((connection) => connection.close()),
  }
}

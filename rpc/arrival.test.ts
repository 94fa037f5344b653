/** What has arrived before a request is known to its answer, over HTTP, WebSocket and gRPC. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from './gateway.ts'
import { serveGrpcHttp2 } from './grpc/server.ts'
import { createHttpServer } from './http-server.ts'
import { SILENT_LOG } from './log.ts'
import { GATEWAY_DEFAULTS } from './settings.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

const LIMITS = { timeoutMs: 10_000, idleTimeoutMs: 1_000, maxConnections: 0 }
/** This process is busy until another has written all, and so long more: the kernel may hand it on later. */
const BUSY_MS = 20
const LIMIT_MS = 120_000

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Takes the news that is written to it, once it is told to read. */
class NewsServer {
  known = 'nothing'
  onNews: () => void = () => undefined
  #socket: Socket | undefined
  readonly server: Server = createServer({ pauseOnConnect: true }, (socket) => {
    this.#socket = socket
    socket.on('error', () => undefined)
  })

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    closers.push(() => new Promise((resolve) => this.server.close(resolve)))
    return (this.server.address() as AddressInfo).port
  }

  read(): void {
    this.#socket?.on('data', (chunk) => {
      this.known = chunk.toString()
      this.onNews()
    })
    this.#socket?.resume()
  }
}

/**
 * A process that connects to both ports, says so, and once it is told to, writes to the second and then calls `ask` of
 * its program, which prints what the first answers. A file tells that both were written.
 */
const clientOf = (program: string): string => `
const other = require('node:net').connect(Number(process.argv[2]), '127.0.0.1')
const port = process.argv[1]
const isReady = new Promise((resolve) => other.once('connect', resolve))
const begin = async (ready, ask) => {
  await Promise.all([isReady, ready])
  process.stdout.write('connected')
  process.stdin.once('data', () => {
    other.write('news', () => {
      ask()
      // Some of the clients write at the end of the turn.
      setImmediate(() => setImmediate(() => require('node:fs').writeFileSync(process.argv[3], '')))
    })
  })
}
const print = (text) => process.stdout.write(text, () => process.exit())
${program}
`

const HTTP_CLIENT = clientOf(`
const socket = require('node:net').connect(Number(port), '127.0.0.1')
const request = 'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'
begin(new Promise((resolve) => socket.once('connect', resolve)), () => socket.write(request))
let answer = ''
socket.on('data', (chunk) => (answer += chunk))
socket.on('end', () => print(answer.includes('news') ? 'news' : answer))
`)

const GRPC_CLIENT = clientOf(`
const session = require('node:http2').connect('http://127.0.0.1:' + port)
begin(new Promise((resolve) => session.once('remoteSettings', resolve)), () => {
  const stream = session.request({ ':method': 'POST', ':path': '/t.T/Known', 'content-type': 'application/grpc' })
  stream.end(Buffer.alloc(5))
  stream.once('data', (chunk) => print(chunk.subarray(5)))
})
`)

const WEBSOCKET_CLIENT = clientOf(`
const socket = new WebSocket('ws://127.0.0.1:' + port)
begin(new Promise((resolve) => (socket.onopen = resolve)), () => {
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')
})
socket.onmessage = ({ data }) => print(JSON.parse(data).result)
`)

const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** What the client prints after its question, which it asked, behind its news, while this process was busy. */
const askWhileBusy = async (client: string, port: number, news: NewsServer): Promise<string> => {
  const newsPort = await news.listen()
  const isConnected = once(news.server, 'connection')
  const folder = mkdtempSync(join(tmpdir(), 'arrival-'))
  closers.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })))
  const written = join(folder, 'written')
  const child = spawn(process.execPath, ['-e', client, String(port), String(newsPort), written], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  while (output !== 'connected') await once(child.stdout, 'data')
  await isConnected
  await new Promise<void>((resolve) => child.stdin.write('go', () => resolve()))
  // This process finds both together: what it begins to read last comes last, though it arrived first.
  news.read()
  const deadline = performance.now() + LIMIT_MS
  do block(BUSY_MS)
  while (!existsSync(written) && performance.now() < deadline)
  block(BUSY_MS)
  await once(child, 'close')
  return output.slice('connected'.length)
}

const portOf = (address: string): number => Number(new URL(`http://${address}`).port)

test('of a request over HTTP', async () => {
  const news = new NewsServer()
  const server = createHttpServer(LIMITS, (_request, response) => response.end(news.known))
  closers.push(() => server.close())
  const port = portOf(await server.listen('127.0.0.1:0'))
  expect(await askWhileBusy(HTTP_CLIENT, port, news)).toBe('news')
})

test('of a call over gRPC', async () => {
  const news = new NewsServer()
  const answer = () => Promise.resolve({ bytes: Buffer.from(news.known), metadata: {} })
  const server = await serveGrpcHttp2({
    host: '127.0.0.1',
    port: 0,
    methods: new Map([['/t.T/Known', { kind: 'unary', answer }]]),
    maxReceiveBytes: 1_000,
    maxSendBytes: 1_000,
    toStatus: (error) => ({ code: 2, message: String(error) }),
  })
  closers.push(() => server.close())
  expect(await askWhileBusy(GRPC_CLIENT, server.port, news)).toBe('news')
})

test('of a message over WebSocket', async () => {
  const news = new NewsServer()
  const application = createMemoryApplication(7)
  news.onNews = () => application.commit()
  const settings = { ...GATEWAY_DEFAULTS, grpcAddress: undefined, address: undefined, restAddress: undefined }
  const gateway = await startGateway({ ...settings, wsAddress: '127.0.0.1:0' }, application, SILENT_LOG)
  closers.push(() => gateway.close())
  expect(await askWhileBusy(WEBSOCKET_CLIENT, portOf(gateway.wsAddress ?? ''), news)).toBe('0x8')
})

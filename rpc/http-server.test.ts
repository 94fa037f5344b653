import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createHttpServer, type HttpServer } from './http-server.ts'

const LIMITS = { timeoutMs: 10_000, idleTimeoutMs: 1_000, maxConnections: 0 }
/** Another process does all that is written below in this time. */
const BLOCKED_MS = 300

let server: HttpServer | undefined
afterEach(async () => await server?.close())

/** Connects to both ports, says so, then writes to the second and to the first, which is HTTP, and prints the answer. */
const CLIENT = `
const { connect } = require('node:net')
const [http, other] = process.argv.slice(1).map((port) => connect(Number(port), '127.0.0.1'))
process.stdout.write('connected')
process.stdin.once('data', () => {
  other.write('news', () => http.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'))
})
http.pipe(process.stdout)
http.on('end', () => process.exit())
`

test('a request is looked at after all that arrived before it, in whatever order the sockets are read', async () => {
  let known = 'nothing'
  server = createHttpServer(LIMITS, (_request, response) => response.end(known))
  const address = await server.listen('127.0.0.1:0')
  const other = createServer((socket) => socket.on('data', (chunk) => (known = chunk.toString())))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const bothConnected = Promise.all([once(server.server, 'connection'), once(other, 'connection')])
  const ports = [new URL(`http://${address}`).port, String((other.address() as AddressInfo).port)]
  const client = spawn(process.execPath, ['-e', CLIENT, ...ports], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  client.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await bothConnected
  await new Promise<void>((resolve) => client.stdin.write('go', () => resolve()))
  // This process is busy while both arrive: it finds them together.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS)
  await once(client, 'close')
  other.close()
  expect(output).toMatch(/^connectedHTTP\/1.1 200 OK[^]*\r\n\r\n(?:4\r\n)?news/)
})

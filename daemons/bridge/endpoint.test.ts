/** Servers that break HTTP itself: each call ends with a fault of that endpoint, in time and without much memory. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openEndpoint } from './endpoint.ts'

const LONG = 'a'.repeat(1_000_000)
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const LIMITS = { maxBytes: 100_000, timeoutMs: 10_000 }

let server: Server | undefined
afterEach(() => new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve))))

it.each<readonly [string, string, RegExp]>([
  [
    'another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    /no answer: the connection/,
  ],
  ['no HTTP', '\0\0\0\0'.repeat(1_000), /no answer: Parse Error/],
  ['a header without an end', `${OK}x: ${LONG}`, /Header overflow/],
  ['a chunk of 72 petabytes', `${CHUNKED}ffffffffffffff\r\n${LONG}`, /longer than 100000 bytes/],
  ['a trailer without an end', `${CHUNKED}0\r\nx: ${LONG}`, /Header overflow/],
  ['a chunk that describes itself without an end', `${CHUNKED}1;${LONG}`, /Chunk extensions overflow/],
  ['two answers to one question', `${OK}content-length: 2\r\n\r\n{}${OK}content-length: 2\r\n\r\n{}`, /no result/],
])('an endpoint that answers %s is an error, also the next time', async (_, bytes, message) => {
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', () => socket.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = openEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  for (let call = 0; call < 2; call++) await expect(endpoint.call('eth_chainId', [], LIMITS)).rejects.toThrow(message)
  endpoint.close()
})

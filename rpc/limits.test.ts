/** The limit of rates: who is one client, and that whatever a client makes a gateway do is paid for. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { clientOf, createAddressFinder } from './addresses.ts'
import { startGateway, type Gateway } from './gateway.ts'
import { createAdmission, createRateLimiter } from './limits.ts'
import { SILENT_LOG } from './log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from './settings.ts'
import { createMemoryApplication, type MemoryApplication } from './testing/memory-application.ts'

describe('a client', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0000::ffff:0001', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s is %s', (address, client) => expect(clientOf(address)).toBe(client))

  test('is the entry of X-Forwarded-For before the trusted ones, with a port or without', () => {
    const find = createAddressFinder(['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8'])
    const from = (forwarded: string, remoteAddress = '127.0.0.1'): string =>
      find({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } })
    expect(from('192.0.2.1:4711')).toBe('192.0.2.1')
    expect(from('192.0.2.1:4711, 10.0.0.1:80, [fd00::7]:443')).toBe('192.0.2.1')
    expect(from('[2001:db8::1]:80')).toBe('2001:db8::1')
    expect(from('[2001:DB8:0::1]')).toBe('2001:db8::1')
    expect(from('"[2001:db8::1]:80"')).toBe('2001:db8::1')
    expect(from('::ffff:192.0.2.1', '::ffff:127.0.0.1')).toBe('192.0.2.1')
    expect(from('192.0.2.9, 192.0.2.1:1')).toBe('192.0.2.1')
    // What is no address is nobody's: the proxy that wrote it counts.
    for (const odd of ['unknown', '_hidden', '1.2.3.4:x', '[1.2.3', '300.1.1.1', '1.2.3.4:123456', '']) {
      expect(from(`192.0.2.1, ${odd}, 10.0.0.2`), odd).toBe('10.0.0.2')
    }
    expect(from('192.0.2.1', '198.51.100.1')).toBe('198.51.100.1')
  })
})

describe('a bucket', () => {
  test('is one for all spellings and all addresses of a client', () => {
    const limiter = createRateLimiter({ unitsPerSecond: 1, burst: 10, nowMs: () => 0 })
    let taken = 0
    for (let i = 0; i < 200; i++) if (limiter.take(`2001:db8:1:2::${i.toString(16)}`, 1) === 0) taken++
    expect(taken).toBe(10)
    expect(limiter.take('2001:db8:1:3::1', 1)).toBe(0)
    taken = 0
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '::FFFF:C000:0201']) {
      for (let i = 0; i < 5; i++) if (limiter.take(address, 1) === 0) taken++
    }
    expect(taken).toBe(10)
  })

  test('owes what a request took beyond it, and what work has cost, for a minute at most', () => {
    let now = 0
    const limiter = createRateLimiter({ unitsPerSecond: 10, burst: 100, nowMs: () => now })
    expect(limiter.take('a', 300)).toBe(0)
    expect(limiter.take('a', 1)).toBe(21)
    limiter.charge('a', 100)
    expect(limiter.take('a', 1)).toBe(31)
    limiter.charge('a', 1_000_000)
    expect(limiter.take('a', 1)).toBe(61)
    now += 60_100
    expect(limiter.take('a', 1)).toBe(0)
    limiter.charge('b', 0)
    expect(limiter.take('b', 100)).toBe(0)
  })

  test('is forgotten only for a client that asked later, however many there are', () => {
    const limiter = createRateLimiter({ unitsPerSecond: 1, burst: 1, nowMs: () => 0 })
    expect(limiter.take('10.0.0.1', 1)).toBe(0)
    for (let i = 0; i < 200_000; i++) {
      limiter.take(`${i}`, 1)
      if (i % 50_000 === 0) expect(limiter.take('10.0.0.1', 1)).toBe(1)
    }
    expect(limiter.take('10.0.0.1', 1)).toBe(1)
  })

  test('of connections is another one, and proxies have none', () => {
    const admits = createAdmission({ unitsPerSecond: 1, burst: 5, nowMs: () => 0 }, ['10.0.0.0/8'])
    expect(Array.from({ length: 12 }, () => admits('192.0.2.1')).filter(Boolean)).toHaveLength(10)
    expect(Array.from({ length: 50 }, () => admits('::ffff:10.1.1.1')).every(Boolean)).toBe(true)
  })
})

const ANY = '127.0.0.1:0'
let gateway: Gateway
let application: MemoryApplication

const start = async (changes: Partial<GatewaySettings> = {}): Promise<void> => {
  application = createMemoryApplication()
  const addresses = { address: ANY, wsAddress: ANY, restAddress: ANY, grpcAddress: ANY }
  const rate = { rateLimit: 1, rateLimitBurst: 20, trustedProxies: ['127.0.0.1'] }
  gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...addresses, ...rate, ...changes }, application, SILENT_LOG)
}
afterEach(async () => await gateway?.close())

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

/** The statuses that one client gets for the same request, `times` times. */
const statuses = async (times: number, path: string, body?: string, type = 'application/json'): Promise<number[]> => {
  const all: number[] = []
  for (let i = 0; i < times; i++) {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { 'content-type': type, 'x-forwarded-for': '192.0.2.1' }
    const reply = await fetch(path, { method, headers, ...(body === undefined ? {} : { body }) })
    await reply.arrayBuffer()
    all.push(reply.status)
  }
  return all
}
const count = (all: readonly number[], status: number): number => all.filter((each) => each === status).length

describe('a gateway counts', () => {
  test.each([
    ['malformed bodies', '/', '{"jsonrpc', 'application/json', 200, 20],
    ['empty bodies', '/', '', 'application/json', 200, 20],
    ['crowded bodies by their bytes', '/', '1,'.repeat(163_840), 'application/json', 200, 1],
    ['bodies of another type', '/', 'x', 'text/plain', 415, 20],
    ['pages of health', '/healthz', undefined, '', 200, 20],
    ['what is not there', '/nowhere', undefined, '', 404, 20],
  ] as const)('%s', async (_, path, body, type, status, most) => {
    await start()
    const all = await statuses(30, `http://${gateway.address}${path}`, body, type)
    expect([count(all, status), count(all, 429)]).toEqual([most, 30 - most])
  })

  test('pages and unknown routes of the REST port', async () => {
    await start()
    const openApi = await statuses(10, `http://${gateway.restAddress}/swagger/openapi.json`)
    expect([count(openApi, 200), count(openApi, 429)]).toEqual([4, 6])
    await gateway.close()
    await start()
    const unknown = await statuses(30, `http://${gateway.restAddress}/nowhere`)
    expect([count(unknown, 501), count(unknown, 429)]).toEqual([20, 10])
  })

  test('what an answer was, which nobody knew before', async () => {
    await start()
    application.answers.block = () => `"${'x'.repeat(640_000)}"`
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",true]}'
    const all = await statuses(5, `http://${gateway.address}/`, body)
    // 5 for the method and 9 for its bytes, then 5 and 9 beyond what there is.
    expect(all).toEqual([200, 200, 429, 429, 429])
  })

  test('upgrades', async () => {
    await start()
    const open = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${gateway.wsAddress}`, { headers: { 'x-forwarded-for': '192.0.2.1' } })
        socket.once('open', () => resolve('open')).once('error', (error) => resolve(error.message))
        socket.once('open', () => socket.close())
      })
    const all: string[] = []
    for (let i = 0; i < 6; i++) all.push(await open())
    expect(all.slice(0, 4)).toEqual(['open', 'open', 'open', 'open'])
    expect(all.slice(4)).toEqual(Array.from({ length: 2 }, () => 'Unexpected server response: 429'))
  })

  test('WebSockets of one client, and takes another when one has gone', async () => {
    await start({ rateLimit: 0, wsConnectionsByClient: 2 })
    const open = async (from: string): Promise<WebSocket | string> => {
      const socket = new WebSocket(`ws://${gateway.wsAddress}`, { headers: { 'x-forwarded-for': from } })
      return await new Promise((resolve) => {
        socket.once('open', () => resolve(socket)).once('error', (error) => resolve(error.message))
      })
    }
    const first = await open('2001:db8::1')
    const second = await open('2001:db8::2')
    expect(await open('2001:db8::3')).toBe('Unexpected server response: 429')
    const other = await open('2001:db8:0:1::1')
    expect(other).toBeInstanceOf(WebSocket)
    if (first instanceof WebSocket) {
      first.close()
      await once(first, 'close')
    }
    const next = await open('2001:db8::3')
    expect(next).toBeInstanceOf(WebSocket)
    for (const socket of [second, other, next]) if (socket instanceof WebSocket) socket.terminate()
  })

  test('messages over all WebSockets of one client', async () => {
    await start({ rateLimit: 0, wsMessagesByClient: 5 })
    const replies: string[] = []
    const sockets = [1, 2].map(() => new WebSocket(`ws://${gateway.wsAddress}`))
    for (const socket of sockets) {
      await once(socket, 'open')
      socket.on('message', (data: Buffer) => replies.push(data.toString()))
    }
    for (let i = 0; i < 20; i++) sockets[i % 2]?.send('{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}')
    await expect.poll(() => replies.length).toBe(20)
    const refused = replies.filter((text) => text.includes('too many messages')).length
    // Ten at once, and what comes back while they are sent.
    expect(refused).toBeGreaterThan(5)
    expect(refused).toBeLessThanOrEqual(10)
    for (const socket of sockets) socket.terminate()
  })

  test('messages over WebSocket that are crowded', async () => {
    await start()
    const socket = new WebSocket(`ws://${gateway.wsAddress}`)
    await once(socket, 'open')
    const replies: string[] = []
    const done = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        replies.push(data.toString())
        if (replies.length === 3) resolve()
      })
    })
    for (let i = 0; i < 3; i++) socket.send('1,'.repeat(110_000))
    await done
    expect(replies.map((text) => /rate limit exceeded/.test(text))).toEqual([false, true, true])
    socket.terminate()
  })

  test('questions of one stream of reflection', async () => {
    await start()
    const client = new Client(gateway.grpcAddress ?? '', credentials.createInsecure())
    const same = (bytes: Buffer): Buffer => bytes
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    const stream = client.makeBidiStreamRequest(path, same, same)
    let answers = 0
    stream.on('data', () => answers++)
    const failed = once(stream, 'error')
    const name = Buffer.from('cosmos.gov.v1.Query')
    for (let i = 0; i < 30; i++) stream.write(Buffer.concat([Buffer.from([0x22, name.length]), name]))
    const [error] = (await failed) as [Error]
    expect(error.message).toContain('rate limit exceeded')
    expect(answers).toBeLessThanOrEqual(4)
    client.close()
  })

  test('connections, and cuts them off without a word only beyond twice the rate', async () => {
    await start({ trustedProxies: [] })
    const answered = (): Promise<number> =>
      new Promise((resolve) => {
        const [host, port] = (gateway.address ?? '').split(':')
        const headers = { 'content-type': 'application/json' }
        const sent = httpRequest({ host, port, method: 'POST', headers, agent: false }, (reply) => {
          reply.resume()
          reply.once('end', () => resolve(reply.statusCode ?? 0))
        })
        sent.once('error', () => resolve(0))
        sent.end(CALL)
      })
    const all: number[] = []
    for (let i = 0; i < 60; i++) all.push(await answered())
    expect(count(all, 200)).toBeGreaterThanOrEqual(20)
    expect(count(all, 200) + count(all, 429)).toBeLessThanOrEqual(45)
    expect(count(all, 429)).toBeGreaterThan(0)
    expect(all.at(-1)).toBe(0)
    const socket = connect(Number((gateway.grpcAddress ?? '').split(':')[1]), '127.0.0.1')
    socket.on('error', () => undefined).resume()
    await once(socket, 'close')
  })
})

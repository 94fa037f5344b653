/** What clients make a gateway hold, over real sockets: the greediest loses, and all of it is given back. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startGateway, type Gateway } from './gateway.ts'
import { SILENT_LOG } from './log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from './settings.ts'
import { createMemoryApplication, type MemoryApplication } from './testing/memory-application.ts'

const MEGABYTE = 1024 * 1024
const BALANCE = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'

let gateway: Gateway
let application: MemoryApplication
/** What balances wait for. */
let released = Promise.withResolvers<string>()
const sockets: Socket[] = []

const start = async (changes: Partial<GatewaySettings>): Promise<void> => {
  application = createMemoryApplication()
  application.answers = { block: () => `"${'x'.repeat(100_000)}"`, balance: () => released.promise }
  released = Promise.withResolvers()
  const off = { restAddress: undefined, grpcAddress: undefined }
  const addresses = { address: '127.0.0.1:0', wsAddress: '127.0.0.1:0' }
  gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...off, ...addresses, ...changes }, application, SILENT_LOG)
}

const open = async (port = Number((gateway.address ?? '').split(':')[1])): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const head = (length: number): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** Sends a request and gives what comes first. */
const ask = async (socket: Socket, body: string): Promise<string> => {
  socket.write(head(body.length) + body)
  const closed = once(socket, 'close').then(() => [Buffer.from('closed')])
  const [chunk] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer]
  return chunk.toString('latin1')
}

const isHonestServed = async (): Promise<boolean> => (await ask(await open(), BALANCE)).includes('"result":"0x7"')

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await gateway.close()
})

test('unfinished bodies end the connections that hold most of them, and nobody else is refused', async () => {
  await start({ memoryBytes: 8 * MEGABYTE })
  const honest = await open()
  const closed: Socket[] = []
  for (let index = 0; index < 6; index++) {
    const socket = await open()
    socket.on('close', () => closed.push(socket))
    socket.resume()
    socket.write(head(5 * MEGABYTE))
    socket.write(Buffer.alloc(4 * MEGABYTE, ' '))
  }
  await expect.poll(() => closed.length).toBeGreaterThanOrEqual(4)
  expect(closed.length).toBeLessThan(6)
  expect(await ask(honest, BALANCE)).toContain('"result":"0x7"')
  expect(await isHonestServed()).toBe(true)
})

test('answers that nobody reads end the connections that wait for most of them', async () => {
  await start({ memoryBytes: 8 * MEGABYTE })
  const batch = `[${Array.from({ length: 9 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_getBlockByNumber","params":["latest",false]}`).join()}]`
  const closed: Socket[] = []
  const greedy = await Promise.all(Array.from({ length: 30 }, () => open()))
  for (const socket of greedy) {
    socket.on('close', () => closed.push(socket))
    socket.write((head(batch.length) + batch).repeat(12))
  }
  // Each has more to come than the system holds for it; a socket that nobody reads hears of its end when it writes.
  const probe = setInterval(() => greedy.forEach((socket) => socket.destroyed || socket.write('\r\n')), 20)
  await expect.poll(() => closed.length).toBeGreaterThan(0)
  clearInterval(probe)
  expect(await isHonestServed()).toBe(true)
})

test('so do short answers to requests that came together, on every port', async () => {
  await start({ memoryBytes: 8 * MEGABYTE, restAddress: '127.0.0.1:0', openApi: true })
  const [, port] = (gateway.restAddress ?? '').split(':')
  const get = 'GET /swagger/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const closed: Socket[] = []
  const greedy = await Promise.all(Array.from({ length: 8 }, () => open(Number(port))))
  for (const socket of greedy) {
    socket.on('close', () => closed.push(socket))
    socket.write(get.repeat(400))
  }
  const probe = setInterval(() => greedy.forEach((socket) => socket.destroyed || socket.write('\r\n')), 20)
  await expect.poll(() => closed.length).toBeGreaterThan(0)
  clearInterval(probe)
  for (const socket of greedy) socket.destroy()
  const honest = await open(Number(port))
  honest.write(get)
  expect(String(await once(honest, 'data'))).toContain('HTTP/1.1 200 OK')
})

test('an unfinished message over WebSocket is closed with the reason where it is the greediest', async () => {
  await start({ memoryBytes: 4 * MEGABYTE })
  const modest = new WebSocket(`ws://${gateway.wsAddress}`)
  const greedy = new WebSocket(`ws://${gateway.wsAddress}`, { perMessageDeflate: false })
  await Promise.all([once(modest, 'open'), once(greedy, 'open')])
  const ended = once(greedy, 'close')
  for (let sent = 0; sent < 6; sent++) greedy.send(Buffer.alloc(MEGABYTE, ' '), { fin: false })
  const [code, reason] = (await ended) as [number, Buffer]
  expect(code).toBe(1013)
  expect(reason.toString()).toMatch(/^too many bytes are held for this client/)
  modest.send(BALANCE)
  const [reply] = (await once(modest, 'message')) as [Buffer]
  expect(reply.toString()).toContain('"result":"0x7"')
  modest.terminate()
})

const balanceWith = (more: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x${'aa'.repeat(20)}","latest"],"more":${more}}`

test('a body whose call waits for its answer is not held meanwhile', async () => {
  await start({ memoryBytes: MEGABYTE })
  const body = balanceWith(`"${'x'.repeat(200_000)}"`)
  const answers: Promise<string>[] = []
  for (let count = 1; count <= 20; count++) {
    answers.push(ask(await open(), body))
    // It is read: the next one would come while it is not.
    await expect.poll(() => application.asked.length, { interval: 2 }).toBe(count)
  }
  expect(await isHonestServed()).toBe(true)
  released.resolve('"0x1"')
  for (const answer of await Promise.all(answers)) expect(answer).toContain('"result":"0x1"')
})

test('the values of a batch are held until it is answered, and a batch that has too many is refused', async () => {
  await start({ memoryBytes: 4 * MEGABYTE })
  const of = (values: number): string => `[${balanceWith(`[${'{},'.repeat(values)}{}]`)}]`
  const first = ask(await open(), of(10_000))
  await expect.poll(() => application.asked.length, { interval: 2 }).toBe(1)
  expect(await ask(await open(), of(50_000))).toContain('too many bytes are held for this client')
  released.resolve('"0x1"')
  expect(await first).toContain('"result":"0x1"')
  expect(await ask(await open(), of(15_000))).toContain('"result":"0x1"')
})

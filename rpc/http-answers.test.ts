/** Large answers to clients that do not read them. */
import { on, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import type { Server, ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import type { Responder } from './envelope.ts'
import { createConnectionMemory } from './connection-memory.ts'
import { Floods } from './floods.ts'
import { MemoryBudget } from './memory-budget.ts'
import { BodyPieces } from './small-pieces.ts'
import { Turns } from './turns.ts'
import { createHttpServer } from './http-server.ts'
import { createHttpHandler } from './http.ts'

/** More than the buffers of a connection hold. */
const LENGTH = 32 * 1024 * 1024
const BODY = '{}'

const responder: Responder = {
  parse: () => ({ isBatch: false, messages: [], heapBytes: 0 }),
  cost: () => 1,
  respond: () => 'x'.repeat(LENGTH),
}

let server: Server
const sockets: Socket[] = []

/** Answers come one by one. */
const start = async (timeoutMs: number): Promise<AsyncIterator<[ServerResponse]>> => {
  const handle = createHttpHandler({
    responder,
    timeoutMs,
    bodyLimit: 100,
    corsOrigins: [],
    longRequests: undefined,
    limiter: undefined,
    findAddress: () => '',
    turns: new Turns(),
    memory: createConnectionMemory(new MemoryBudget(1.5 * LENGTH), () => ''),
    pieces: new BodyPieces(new Floods()),
    pages: () => undefined,
  })
  const limits = { timeoutMs, idleTimeoutMs: 1_000, maxConnections: 0 }
  ;({ server } = createHttpServer(limits, (request, response) => {
    server.emit('answer', response)
    handle(request, response)
  }))
  const answers = on(server, 'answer') as AsyncIterator<[ServerResponse]>
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return answers
}

/** Resolves to a connection that has read the beginning of its answer, and reads no further. */
const ask = async (): Promise<{ readonly socket: Socket; readonly status: string }> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  )
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return { socket, status: chunk.toString('latin1', 9, 12) }
}

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  server.close()
})

test('are cut off after the time of a request', async () => {
  const answers = await start(200)
  expect((await ask()).status).toBe('200')
  const [response] = (await answers.next()).value as [ServerResponse]
  if (!response.closed) await once(response, 'close')
  expect(response.writableFinished).toBe(false)
})

test('are refused while others fill the memory that there is for them', async () => {
  const answers = await start(60_000)
  const { socket } = await ask()
  const [response] = (await answers.next()).value as [ServerResponse]
  expect((await ask()).status).toBe('503')
  socket.destroy()
  await once(response, 'close')
  expect((await ask()).status).toBe('200')
})

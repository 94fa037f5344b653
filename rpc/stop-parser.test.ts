import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { cutOff, stopBody } from './stop-parser.ts'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

const start = async (listener: RequestListener): Promise<void> => {
  server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
const CHUNK = '1\r\nx\r\n'

const open = (): Socket => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  return socket.on('error', () => undefined)
}

test('nothing more comes of what was read, and the next sockets have their bodies', async () => {
  let stopped = 0
  await start((request, response) => {
    let length = 0
    request.on('error', () => undefined)
    request.on('data', () => {
      length++
      if (request.url === '/') stopped++
      if (stopped !== 10 || request.url !== '/') return
      stopBody(request.socket)
      // A pipelined answer may be under way: the socket goes a little later.
      setImmediate(() => request.socket.destroy())
    })
    request.on('end', () => response.end(String(length)))
  })
  const flood = open()
  flood.write(HEAD + CHUNK.repeat(10_000))
  await once(flood, 'close')
  expect(stopped).toBe(10)
  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const socket = open()
      socket.end(
        `${HEAD.replace(' / ', ' /next ').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}${CHUNK.repeat(7)}0\r\n\r\n`,
      )
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString()))
      await once(socket, 'close')
      return text.split('\r\n\r\n').slice(1).join('').replaceAll('\r\n', ' ')
    }),
  )
  expect(answers.map((answer) => answer.includes('7'))).toEqual([true, true, true, true, true])
})

test('a socket that is cut off brings no more requests of what was read, and the next sockets do', async () => {
  let parsed = 0
  await start((request, response) => {
    if (request.url !== '/flood') return void response.end('here')
    parsed++
    if (parsed === 10) cutOff(request.socket)
  })
  for (let round = 0; round < 2; round++) {
    parsed = 0
    const flood = open()
    flood.write('GET /flood HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10_000))
    await new Promise((resolve) => flood.once('close', resolve))
    expect(parsed).toBe(10)
    const answers = Array.from({ length: 5 }, async () => {
      const socket = open()
      socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString()))
      await once(socket, 'close')
      return text.split('\r\n\r\n')[1]
    })
    expect(await Promise.all(answers)).toEqual(Array(5).fill('here'))
  }
})

test('a parser that Node takes back before its socket closes is whole for the next one', async () => {
  await start((request, response) => {
    let length = 0
    request.on('data', (chunk: Buffer) => (length += chunk.length))
    request.on('end', () => response.end(`${length} bytes`))
    if (request.url === '/stop') stopBody(request.socket)
  })
  // A WebSocket needs no parser: Node gives it to the next socket, while this one goes on.
  const upgraded: Socket[] = []
  server.on('upgrade', (_request, socket: Socket) => upgraded.push(socket))
  const first = open()
  first.write(`${HEAD.replace(' / ', ' /stop ')}${CHUNK}0\r\n\r\n`)
  first.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await once(server, 'upgrade')
  for (let round = 0; round < 3; round++) {
    const socket = open()
    socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789')
    let text = ''
    socket.on('data', (data: Buffer) => (text += data.toString()))
    await once(socket, 'close')
    expect(text).toContain('\r\n\r\n10 bytes')
  }
  for (const socket of [first, ...upgraded]) socket.destroy()
})

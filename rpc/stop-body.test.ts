import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { stopBody } from './stop-body.ts'

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

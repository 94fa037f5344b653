/** Answers that come before the body has been read reach the client, and none keeps the connection for that. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttpServer, type HttpServer } from './http-server.ts'
import { useHttpWorld } from './testing/http-world.ts'

/** A thread of its own: a client of the thread that answers reads before the connection is ended. */
const CLIENT = `
const { parentPort, workerData: { url, size, type } } = require('node:worker_threads')
const ask = async () => {
  try {
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body: ' '.repeat(size) })
    return reply.status + ' ' + (await reply.text()).trim()
  } catch (error) {
    return String(error.cause ?? error)
  }
}
const askAll = async () => {
  const outcomes = []
  for (let round = 0; round < 15; round++) outcomes.push(await ask())
  parentPort.postMessage(outcomes)
}
void askAll()
`

/** What fifteen requests get, one after the other; the same ones once. */
const outcomesOf = async (url: string, size: number, type = 'application/json'): Promise<string[]> => {
  const worker = new Worker(CLIENT, { eval: true, workerData: { url, size, type } })
  const [outcomes] = (await once(worker, 'message')) as [string[]]
  await worker.terminate()
  return [...new Set(outcomes)]
}

describe('a body above the limit', () => {
  const world = useHttpWorld()

  test('is refused in words that its client reads, however long it is', async () => {
    for (const size of [5_242_881, 5_400_061, 20_000_000]) {
      const outcomes = await outcomesOf(`http://127.0.0.1:${world.port}/`, size)
      expect(outcomes).toEqual([`413 content length too large (${size}>5242880)`])
    }
  })

  test('is refused so by REST and gRPC-Web', async () => {
    await world.restart({ restAddress: '127.0.0.1:0' })
    const url = `http://${new URL(`http://${world.gateway.restAddress}`).host}`
    const tooLarge = expect.stringContaining('request body too large') as string
    expect(await outcomesOf(`${url}/cosmos/tx/v1beta1/simulate`, 5_400_061)).toEqual([tooLarge])
    const grpcWeb = await outcomesOf(
      `${url}/cosmos.bank.v1beta1.Query/Balance`,
      5_400_061,
      'application/grpc-web+proto',
    )
    expect(grpcWeb).toEqual([tooLarge])
  })
})

describe('a connection whose request is answered before its body is there', () => {
  let server: HttpServer | undefined

  afterEach(() => server?.close())

  /** A client that reads the answer, and what the server has of it. */
  const begin = async (): Promise<{ client: Socket; taken: Socket; closed: Promise<unknown>; text: string }> => {
    server = createHttpServer({ timeoutMs: 60_000, idleTimeoutMs: 60_000, maxConnections: 10 }, (_, response) => {
      response.writeHead(413, { connection: 'close' })
      response.end('too large')
    })
    const { promise: isTaken, resolve } = Promise.withResolvers<Socket>()
    server.server.once('connection', resolve)
    await server.listen('127.0.0.1:0')
    const { port } = server.server.address() as AddressInfo
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.on('error', () => undefined)
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n')
    let text = ''
    client.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const taken = await isTaken
    const closed = once(taken, 'close')
    await once(client, 'end')
    return { client, taken, closed, text }
  }

  test('is half closed by the server, which ends it half a second later', async () => {
    const { client, taken, closed, text } = await begin()
    const startedMs = performance.now()
    expect(text).toMatch(/^HTTP\/1\.1 413 [^]*too large/)
    expect(taken.destroyed).toBe(false)
    await closed
    expect(performance.now() - startedMs).toBeGreaterThan(300)
    client.destroy()
  })

  test('is read no more, whatever its client goes on sending', async () => {
    const { client, taken, closed } = await begin()
    const piece = Buffer.alloc(64 * 1024, ' ')
    const send = (): void => {
      while (!client.destroyed && client.write(piece)) continue
    }
    client.on('drain', send)
    send()
    const clientClosed = new Promise((resolve) => client.once('close', resolve))
    await closed
    expect(taken.bytesRead).toBeLessThan(256 * 1024)
    await clientClosed
  })

  test('takes no other request of its client', async () => {
    let asked = 0
    const { client, closed } = await begin()
    server?.server.on('request', () => asked++)
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10))
    await closed
    expect(asked).toBe(0)
    client.destroy()
  })
})

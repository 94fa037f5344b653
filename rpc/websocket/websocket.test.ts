/** The WebSocket endpoint: beside what geth answered, and what a connection is due. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { SILENT_LOG } from '../log.ts'
import { converse } from '../testing/converse.ts'
import { acceptedTexts, type Conversation } from '../testing/websocket-requests.ts'
import { closing, useWebSocketWorld } from '../testing/websocket-world.ts'

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/geth-websocket.json'), 'utf8'),
) as readonly Conversation[]

const world = useWebSocketWorld()

describe('beside geth', () => {
  test('broken JSON and parameters of subscriptions get the same replies, byte by byte', async () => {
    expect(recorded.length).toBeGreaterThan(150)
    const conversations: Conversation[] = []
    for (const { sent } of recorded) conversations.push(await converse(world.url, sent))
    expect(conversations).toEqual(recorded)
  })

  test('what geth subscribes to is subscribed to, under an id of the same form', async () => {
    for (const text of acceptedTexts) {
      const { reply } = await converse(world.url, text)
      expect(reply, text).toMatch(/^\{"jsonrpc":"2.0","id":1,"result":"0x[1-9a-f][0-9a-f]{0,31}"\}\n$/)
    }
  })
})

describe('requests', () => {
  test('are served on / and /ws with their ids echoed, and nowhere else', async () => {
    for (const path of ['/', '/ws', '/ws?x=1']) {
      const client = await world.open(path)
      client.send('eth_blockNumber', [], 'a"b')
      expect(await client.next()).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":"0x7"}\n')
      client.socket.close()
    }
    await expect(world.open('/other')).rejects.toThrow('404')
  })

  test('carry the id in their errors', async () => {
    const client = await world.open()
    client.send('eth_nope', [], 'x')
    expect(JSON.parse(await client.next())).toMatchObject({ id: 'x', error: { code: -32601 } })
  })

  test('of another origin than the allowed ones are refused', async () => {
    await world.restart({ wsOrigins: ['https://app.example', 'localhost'] })
    const connectFrom = (origin: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(world.url, { origin })
        socket.once('open', () => resolve(socket.close())).once('error', reject)
      })
    await connectFrom('https://app.example')
    await connectFrom('https://app.example:8080')
    await connectFrom('http://localhost:3000')
    await expect(connectFrom('http://app.example')).rejects.toThrow('403')
    await expect(connectFrom('https://evil.example')).rejects.toThrow('403')
  })

  test('above the limit of a message close the connection', async () => {
    await world.restart({ wsMessageLimit: 1_000 })
    const client = await world.open()
    const closed = closing(client.socket)
    client.send('eth_blockNumber', ['x'.repeat(2_000)])
    expect(await closed).toBe(1009)
  })

  test('that want no answer are no more at once than others', async () => {
    const waiting = Promise.withResolvers<string>()
    world.application.answers.gasPrice = () => waiting.promise
    const client = await world.open()
    client.socket.send(
      JSON.stringify(Array.from({ length: 40 }, () => ({ jsonrpc: '2.0', method: 'eth_gasPrice', params: [] }))),
    )
    await client.request('eth_chainId')
    expect(world.application.asked).toHaveLength(16)
    waiting.resolve('"0x1"')
    while (world.application.asked.length < 40) await client.request('eth_chainId')
  })

  test('above the rate of their address are refused with an id', async () => {
    await world.restart({ rateLimit: 1, rateLimitBurst: 7 })
    const client = await world.open()
    await client.request('eth_blockNumber')
    await client.request('eth_blockNumber')
    const { error } = await client.request('eth_blockNumber')
    expect(error).toMatchObject({ code: -32005 })
  })
})

describe('small frames', () => {
  const masked = (first: number, text = ''): Buffer =>
    Buffer.concat([Buffer.from([first, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
  const repeated = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame))

  /** The code and the reason of the frame that closes a connection for what it has sent. */
  const closeFor = async (bytes: Buffer): Promise<readonly [code: number, reason: string, pongs: number]> => {
    const socket = world.connectRaw()
    const chunks: Buffer[] = []
    socket.once('data', () => {
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.write(bytes)
    })
    await new Promise((resolve) => socket.once('close', resolve))
    const received = Buffer.concat(chunks)
    const at = received.indexOf(0x88)
    const length = received[at + 1] ?? 0
    return [received.readUInt16BE(at + 2), received.subarray(at + 4, at + 2 + length).toString(), at / 2]
  }

  test.each([
    ['pings', masked(0x89), 5_000],
    ['pongs', masked(0x8a), 5_000],
    ['fragments of one byte', masked(0x00, ' '), 5_000],
  ])('without end close a connection: %s', async (_name, frame, count) => {
    const first = frame[0] === 0 ? masked(0x01, '[') : Buffer.alloc(0)
    expect(await closeFor(Buffer.concat([first, repeated(frame, count)]))).toEqual([1008, 'too many small frames', 0])
  })

  test('of clients that mean well are taken', async () => {
    const client = await world.open()
    const text = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"${' '.repeat(300_000)}}`
    // As gorilla and with it go-ethereum send what is long.
    for (let at = 0; at < text.length; at += 1_016) {
      client.socket.send(text.slice(at, at + 1_016), { fin: at + 1_016 >= text.length, binary: false })
    }
    expect(JSON.parse(await client.next())).toMatchObject({ result: '0x539' })
    let pongs = 0
    client.socket.on('pong', () => pongs++)
    for (let count = 0; count < 50; count++) client.socket.ping()
    await expect.poll(() => pongs).toBe(50)
    expect((await client.request('eth_chainId')).result).toBe('0x539')
    client.socket.terminate()
  })
})

describe('connections', () => {
  test('that do not read are closed, and cost no more memory than their bound', async () => {
    const { promise: warned, resolve: warn } = Promise.withResolvers<string>()
    await world.restart({ wsBufferLimit: 200_000 }, { ...SILENT_LOG, warn })
    world.application.answers.block = () => `"${'x'.repeat(100_000)}"`
    const socket = world.connectRaw()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const text = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",true]}')
    const frame = Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])
    socket.once('data', () => {
      socket.pause()
      for (let count = 0; count < 400; count++) socket.write(frame)
    })
    expect(await warned).toBe('websocket closed')
    socket.resume()
    await closed
  })

  test('that end right behind a message have it done', async () => {
    const client = await world.open()
    const asked = new Promise((resolve) => {
      world.application.answers.sendRawTransaction = () => {
        resolve(true)
        return '"0x01"'
      }
    })
    client.send('eth_sendRawTransaction', ['0x02c0'])
    client.socket.terminate()
    expect(await asked).toBe(true)
  })

  test('get pings and are cut when they do not answer', async () => {
    await world.restart({ wsPingIntervalMs: 50 })
    const alive = await world.open()
    const silent = world.connectRaw()
    silent.on('data', () => {})
    await new Promise((resolve) => silent.once('close', resolve))
    expect((await alive.request('eth_chainId')).result).toBe('0x539')
  })

  test('close with a code when the gateway stops', async () => {
    const client = await world.open()
    const closed = closing(client.socket)
    await world.gateway.close()
    expect(await closed).toBe(1001)
    await world.start()
  })
})

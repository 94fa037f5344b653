/** The WebSocket endpoint: beside what geth answered, and what a connection is due. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startGateway, type Gateway } from '../gateway.ts'
import { rpcError } from '../errors.ts'
import { SILENT_LOG, type GatewayLog } from '../log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../settings.ts'
import { converse } from '../testing/converse.ts'
import { createMemoryApplication, exampleHead, type MemoryApplication } from '../testing/memory-application.ts'
import { acceptedTexts, type Conversation } from '../testing/websocket-requests.ts'

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/geth-websocket.json'), 'utf8'),
) as readonly Conversation[]

let application: MemoryApplication
let gateway: Gateway
let log: GatewayLog = SILENT_LOG

const start = async (changes: Partial<GatewaySettings> = {}): Promise<void> => {
  application = createMemoryApplication()
  const settings = {
    ...GATEWAY_DEFAULTS,
    grpcAddress: undefined,
    address: undefined,
    wsAddress: '127.0.0.1:0',
    restAddress: undefined,
  }
  gateway = await startGateway({ ...settings, ...changes }, application, log)
}

const restart = async (changes: Partial<GatewaySettings>): Promise<void> => {
  await gateway.close()
  await start(changes)
}

beforeEach(() => {
  log = SILENT_LOG
  return start()
})
afterEach(() => gateway.close())

interface Client {
  readonly socket: WebSocket
  send(method: string, params?: unknown, id?: unknown): void
  /** The next message. */
  next(): Promise<string>
  request(method: string, params?: unknown): Promise<{ result?: unknown; error?: { code: number; message: string } }>
}

const open = async (path = '/', headers: Record<string, string> = {}): Promise<Client> => {
  const socket = new WebSocket(`ws://${gateway.wsAddress}${path}`, { headers })
  const messages: string[] = []
  const waiters: ((text: string) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const waiter = waiters.shift()
    if (waiter === undefined) messages.push(data.toString())
    else waiter(data.toString())
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const next = (): Promise<string> => {
    const message = messages.shift()
    return message === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(message)
  }
  const send = (method: string, params?: unknown, id: unknown = 1): void =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return {
    socket,
    send,
    next,
    async request(method, params) {
      send(method, params)
      return JSON.parse(await next()) as { result?: unknown; error?: { code: number; message: string } }
    },
  }
}

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')

/** A WebSocket that answers nothing by itself. */
const connectRaw = (): Socket => {
  const socket = connect(Number(new URL(`ws://${gateway.wsAddress}`).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(HANDSHAKE)
  return socket
}

const closing = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', resolve))

const notification = (id: unknown, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id as string}","result":${result}}}\n`

describe('beside geth', () => {
  test('broken JSON and parameters of subscriptions get the same replies, byte by byte', async () => {
    expect(recorded.length).toBeGreaterThan(150)
    const conversations: Conversation[] = []
    for (const { sent } of recorded) conversations.push(await converse(`ws://${gateway.wsAddress}`, sent))
    expect(conversations).toEqual(recorded)
  })

  test('what geth subscribes to is subscribed to, under an id of the same form', async () => {
    for (const text of acceptedTexts) {
      const { reply } = await converse(`ws://${gateway.wsAddress}`, text)
      expect(reply, text).toMatch(/^\{"jsonrpc":"2.0","id":1,"result":"0x[1-9a-f][0-9a-f]{0,31}"\}\n$/)
    }
  })
})

describe('requests', () => {
  test('are served on / and /ws with their ids echoed, and nowhere else', async () => {
    for (const path of ['/', '/ws', '/ws?x=1']) {
      const client = await open(path)
      client.send('eth_blockNumber', [], 'a"b')
      expect(await client.next()).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":"0x7"}\n')
      client.socket.close()
    }
    await expect(open('/other')).rejects.toThrow('404')
  })

  test('carry the id in their errors', async () => {
    const client = await open()
    client.send('eth_nope', [], 'x')
    expect(JSON.parse(await client.next())).toMatchObject({ id: 'x', error: { code: -32601 } })
  })

  test('of another origin than the allowed ones are refused', async () => {
    await restart({ wsOrigins: ['https://app.example', 'localhost'] })
    const connectFrom = (origin: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${gateway.wsAddress}`, { origin })
        socket.once('open', () => resolve(socket.close())).once('error', reject)
      })
    await connectFrom('https://app.example')
    await connectFrom('https://app.example:8080')
    await connectFrom('http://localhost:3000')
    await expect(connectFrom('http://app.example')).rejects.toThrow('403')
    await expect(connectFrom('https://evil.example')).rejects.toThrow('403')
  })

  test('above the limit of a message close the connection', async () => {
    await restart({ wsMessageLimit: 1_000 })
    const client = await open()
    const closed = closing(client.socket)
    client.send('eth_blockNumber', ['x'.repeat(2_000)])
    expect(await closed).toBe(1009)
  })

  test('that want no answer are no more at once than others', async () => {
    const waiting = Promise.withResolvers<string>()
    application.answers.gasPrice = () => waiting.promise
    const client = await open()
    client.socket.send(
      JSON.stringify(Array.from({ length: 40 }, () => ({ jsonrpc: '2.0', method: 'eth_gasPrice', params: [] }))),
    )
    await client.request('eth_chainId')
    expect(application.asked).toHaveLength(16)
    waiting.resolve('"0x1"')
    while (application.asked.length < 40) await client.request('eth_chainId')
  })

  test('above the rate of their address are refused with an id', async () => {
    await restart({ rateLimit: 1, rateLimitBurst: 7 })
    const client = await open()
    await client.request('eth_blockNumber')
    await client.request('eth_blockNumber')
    const { error } = await client.request('eth_blockNumber')
    expect(error).toMatchObject({ code: -32005 })
  })
})

describe('subscriptions', () => {
  test('to heads send the header of each new block once, behind the reply', async () => {
    const client = await open()
    const { result: id } = await client.request('eth_subscribe', ['newHeads'])
    const head = application.commit()
    expect(await client.next()).toBe(notification(id, head.header))
    // The same head again, as after a reconnection.
    application.announce({ type: 'head', head, isNew: false })
    const next = application.commit()
    expect(await client.next()).toBe(notification(id, next.header))
  })

  test('begin behind the reply that tells their id, also in a batch that waits', async () => {
    const client = await open()
    let release: (text: string) => void = () => {}
    application.answers.gasPrice = () => new Promise((resolve) => (release = resolve))
    const asked = new Promise<void>((resolve) => {
      application.answers.maxPriorityFeePerGas = () => {
        resolve()
        return '"0x1"'
      }
    })
    client.socket.send(
      '[{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]},{"jsonrpc":"2.0","id":2,"method":"eth_gasPrice"},{"jsonrpc":"2.0","id":3,"method":"eth_maxPriorityFeePerGas"}]',
    )
    await asked
    const head = application.commit()
    release('"0x2"')
    const [subscribed] = JSON.parse(await client.next()) as [{ result: string }]
    expect(await client.next()).toBe(notification(subscribed.result, head.header))
  })

  test('to logs ask once a block for all of them, page by page, only when there are logs, and filter', async () => {
    const topic = (digit: string): string => `0x${digit.repeat(64)}`
    const logs = [
      {
        address: '0x00000000000000000000000000000000000000aa',
        topics: [topic('1'), topic('2')],
        data: '0x',
        logIndex: '0x0',
      },
      { address: '0x00000000000000000000000000000000000000bb', topics: [topic('1')], data: '0x', logIndex: '0x1' },
      { address: '0x00000000000000000000000000000000000000aa', topics: [], data: '0x', logIndex: '0x2' },
    ]
    application.answers.logsPage = ({ from }) =>
      JSON.stringify({
        next: from.log === 2 ? null : { height: 9, log: 2 },
        logs: logs.slice(from.log, from.log === 2 ? 3 : 2),
      })
    const wanted = [
      [{}, [0, 1, 2]],
      [{ address: '0x00000000000000000000000000000000000000AA' }, [0, 2]],
      [{ topics: [topic('1')] }, [0, 1]],
      [{ topics: [null, [topic('2'), topic('3')]] }, [0]],
      [{ address: ['0x00000000000000000000000000000000000000bb'], topics: [topic('2')] }, []],
      [{ fromBlock: '0x100' }, []],
    ] as const
    const clients: { client: Client; expected: string[] }[] = []
    for (const [criteria, indexes] of wanted) {
      const client = await open()
      const { result: id } = await client.request('eth_subscribe', ['logs', criteria])
      clients.push({ client, expected: indexes.map((index) => notification(id, JSON.stringify(logs[index]))) })
    }
    application.commit()
    application.commit({ logCount: 3 })
    for (const { client, expected } of clients) {
      for (const text of expected) expect(await client.next()).toBe(text)
      // Nothing else came before the answer to this.
      expect((await client.request('eth_chainId')).result).toBe('0x539')
    }
    expect(application.asked.filter(({ name }) => name === 'logsPage')).toHaveLength(2)
  })

  test('to pending transactions send hashes, or whole transactions with the flag', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const
    const gone = `0x${'cd'.repeat(32)}` as const
    application.answers.pendingTransaction = (asked) => (asked.hash === hash ? `{"hash":"${hash}"}` : 'null')
    const client = await open()
    const full = await open()
    const { result: id } = await client.request('eth_subscribe', ['newPendingTransactions'])
    const { result: fullId } = await full.request('eth_subscribe', ['newPendingTransactions', true])
    application.announce({ type: 'pending', hashes: [gone, hash] })
    expect(await client.next()).toBe(notification(id, `"${gone}"`))
    expect(await client.next()).toBe(notification(id, `"${hash}"`))
    expect(await full.next()).toBe(notification(fullId, `{"hash":"${hash}"}`))
  })

  test('to receipts send those of a block in one notification', async () => {
    const [hash, other] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`] as const
    const receiptOf = (transactionHash: string): string => JSON.stringify({ transactionHash })
    application.answers.block = () => JSON.stringify({ transactions: [other, hash] })
    application.answers.receipt = (parameters) => receiptOf((parameters as { hash: string }).hash)
    application.answers.blockReceipts = () => `[${receiptOf(other)},${receiptOf(hash)}]`
    const [client, all] = [await open(), await open()]
    const { result: id } = await client.request('eth_subscribe', ['transactionReceipts', { transactionHashes: [hash] }])
    const { result: allId } = await all.request('eth_subscribe', ['transactionReceipts'])
    application.commit()
    expect(await client.next()).toBe(notification(id, `[${receiptOf(hash)}]`))
    expect(await all.next()).toBe(notification(allId, `[${receiptOf(other)},${receiptOf(hash)}]`))
  })

  test('to all receipts end where a block has more than an answer holds, and those to some of them stay', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    application.answers.block = () => JSON.stringify({ transactions: [hash] })
    application.answers.receipt = () => '{}'
    application.answers.blockReceipts = () => Promise.reject(rpcError('responseTooLarge', 'the answer is too large'))
    const [client, all] = [await open(), await open()]
    const { result: id } = await client.request('eth_subscribe', ['transactionReceipts', { transactionHashes: [hash] }])
    await all.request('eth_subscribe', ['transactionReceipts'])
    const closed = new Promise((resolve) => all.socket.once('close', (code, reason) => resolve([code, `${reason}`])))
    application.commit()
    expect(await client.next()).toBe(notification(id, '[{}]'))
    expect(await closed).toEqual([1013, 'a subscription ended: receipts of block 8: the answer is too large'])
  })

  test('to syncing speak when it begins and ends', async () => {
    application.answers.syncing = () => '{"currentBlock":"0x8"}'
    const client = await open()
    const { result: id } = await client.request('eth_subscribe', ['syncing'])
    application.commit({ catchingUp: true })
    application.commit({ catchingUp: true })
    application.commit()
    expect(await client.next()).toBe(notification(id, '{"syncing":true,"status":{"currentBlock":"0x8"}}'))
    expect(await client.next()).toBe(notification(id, 'false'))
  })

  test('whose logs cannot be told whole end with their connection and a reason', async () => {
    application.answers.logsPage = () => Promise.reject(rpcError('responseTooLarge', 'the answer is too large'))
    const [client, other] = [await open(), await open()]
    await client.request('eth_subscribe', ['logs', {}])
    const { result: id } = await other.request('eth_subscribe', ['newHeads'])
    const closed = new Promise((resolve) => client.socket.once('close', (code, reason) => resolve([code, `${reason}`])))
    const head = application.commit({ logCount: 1 })
    expect(await closed).toEqual([1013, 'a subscription ended: logs of block 8: the answer is too large'])
    expect(await other.next()).toBe(notification(id, head.header))
  })

  test('made before the head is known are not told of it as of something new', async () => {
    const client = await open()
    const { result: id } = await client.request('eth_subscribe', ['newHeads'])
    await client.request('eth_subscribe', ['logs', {}])
    // A gateway that begins is told of the head as it is, and so is one that has connected again.
    application.announce({ type: 'head', head: exampleHead(7, { logCount: 5 }), isNew: false })
    const head = application.commit()
    expect(await client.next()).toBe(notification(id, head.header))
    expect(application.asked).toEqual([])
  })

  test('belong to their connection and end with it', async () => {
    const client = await open()
    const other = await open()
    const { result: id } = await client.request('eth_subscribe', ['newHeads'])
    expect((await other.request('eth_unsubscribe', [id])).error?.message).toBe('subscription not found')
    expect((await client.request('eth_unsubscribe', [id])).result).toBe(true)
    expect((await client.request('eth_unsubscribe', [id])).error?.message).toBe('subscription not found')
    application.commit()
    expect((await client.request('eth_chainId')).result).toBe('0x539')
  })

  test('are bounded in number', async () => {
    await restart({ wsSubscriptionLimit: 2 })
    const client = await open()
    await client.request('eth_subscribe', ['newHeads'])
    await client.request('eth_subscribe', ['newHeads'])
    expect((await client.request('eth_subscribe', ['newHeads'])).error?.code).toBe(-32005)
  })

  test('are bounded in what they look for, over all connections of a client', async () => {
    const topics = Array.from({ length: 4 }, (_, position) =>
      Array.from({ length: 1_000 }, (_, index) => `0x${(1_000 * position + index).toString(16).padStart(64, '0')}`),
    )
    const clients = [await open(), await open()]
    const replies = []
    for (let count = 0; count < 8; count++)
      replies.push(await clients[count % 2]?.request('eth_subscribe', ['logs', { topics }]))
    expect(replies.map((reply) => reply?.error?.code)).toEqual([...Array(6).fill(undefined), -32005, -32005])
    const [first] = replies
    await clients[0]?.request('eth_unsubscribe', [first?.result])
    expect((await clients[1]?.request('eth_subscribe', ['logs', { topics }]))?.error).toBe(undefined)
    // What ends with its connection is given back.
    const gone = closing(clients[1]?.socket as WebSocket)
    clients[1]?.socket.close()
    await gone
    expect((await clients[0]?.request('eth_subscribe', ['logs', { topics }]))?.error).toBe(undefined)
  })

  /** Half of them have the one address, half the one topic, and the last has both. */
  const logsThatHardlyMatch = (count: number): unknown[] => {
    const [one, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
    const [topic, more] = [`0x${'3'.repeat(64)}`, `0x${'4'.repeat(64)}`]
    const pair = [
      { address: one, topics: [more] },
      { address: other, topics: [topic] },
    ]
    return [...Array.from({ length: count - 1 }, (_, index) => pair[index % 2]), { address: one, topics: [topic] }]
  }
  const HARDLY = { address: `0x${'1'.repeat(40)}`, topics: [`0x${'3'.repeat(64)}`] }

  test('of many to many logs hold up no request of others', async () => {
    const logs = logsThatHardlyMatch(1_000)
    application.answers.logsPage = () => JSON.stringify({ next: null, logs })
    const [client, other] = [await open(), await open()]
    for (let count = 0; count < 500; count++) await client.request('eth_subscribe', ['logs', HARDLY])
    const order: string[] = []
    const tellAll = async (): Promise<void> => {
      for (let count = 0; count < 500; count++) await client.next()
      order.push('logs')
    }
    const told = tellAll()
    const answered = other.request('eth_chainId').then(() => order.push('reply'))
    application.commit({ logCount: logs.length })
    await Promise.all([told, answered])
    expect(order).toEqual(['reply', 'logs'])
  })

  test('of one client keep those of another waiting for none of theirs', async () => {
    await restart({ trustedProxies: ['127.0.0.0/8'] })
    const logs = logsThatHardlyMatch(4_000)
    application.answers.logsPage = () => JSON.stringify({ next: null, logs })
    const [greedy, modest] = [
      await open('/', { 'x-forwarded-for': '192.0.2.1' }),
      await open('/', { 'x-forwarded-for': '192.0.2.2' }),
    ]
    for (let count = 0; count < 450; count++) await greedy.request('eth_subscribe', ['logs', HARDLY])
    for (let count = 0; count < 20; count++) await modest.request('eth_subscribe', ['logs', HARDLY])
    const order: string[] = []
    const follow = async (client: Client, name: string, logsToCome: number): Promise<void> => {
      for (let count = 0; count < logsToCome; count++) await client.next()
      order.push(name)
    }
    const all = Promise.all([follow(greedy, 'greedy', 450), follow(modest, 'modest', 20)])
    application.commit({ logCount: logs.length })
    await all
    expect(order).toEqual(['modest', 'greedy'])
  })

  test('to logs that nearly match, thousands of times, end with a reason', async () => {
    const logs = logsThatHardlyMatch(5_000)
    application.answers.logsPage = () => JSON.stringify({ next: null, logs })
    const client = await open()
    for (let count = 0; count < 450; count++) await client.request('eth_subscribe', ['logs', HARDLY])
    const closed = new Promise((resolve) => client.socket.once('close', (code, reason) => resolve([code, `${reason}`])))
    application.commit({ logCount: logs.length })
    expect(await closed).toEqual([
      1013,
      'a subscription ended: logs of block 8: they are held against too many subscriptions',
    ])
  })
})

describe('small frames', () => {
  const masked = (first: number, text = ''): Buffer =>
    Buffer.concat([Buffer.from([first, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
  const repeated = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame))

  /** The code and the reason of the frame that closes a connection for what it has sent. */
  const closeFor = async (bytes: Buffer): Promise<readonly [code: number, reason: string, pongs: number]> => {
    const socket = connectRaw()
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
    const client = await open()
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
    const warned = new Promise<string>((resolve) => (log = { ...SILENT_LOG, warn: resolve }))
    await restart({ wsBufferLimit: 200_000 })
    application.answers.block = () => `"${'x'.repeat(100_000)}"`
    const socket = connectRaw()
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
    const client = await open()
    const asked = new Promise((resolve) => {
      application.answers.sendRawTransaction = () => {
        resolve(true)
        return '"0x01"'
      }
    })
    client.send('eth_sendRawTransaction', ['0x02c0'])
    client.socket.terminate()
    expect(await asked).toBe(true)
  })

  test('get pings and are cut when they do not answer', async () => {
    await restart({ wsPingIntervalMs: 50 })
    const alive = await open()
    const silent = connectRaw()
    silent.on('data', () => {})
    await new Promise((resolve) => silent.once('close', resolve))
    expect((await alive.request('eth_chainId')).result).toBe('0x539')
  })

  test('close with a code when the gateway stops', async () => {
    const client = await open()
    const closed = closing(client.socket)
    await gateway.close()
    expect(await closed).toBe(1001)
    await start()
  })
})

/** Streams as they may go wrong, in front of a server of WebSocket that says what it is told to. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createPublicClient, webSocket } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { clobActions } from './clob-actions.ts'
import type { BookUpdate } from './messages.ts'

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

let server: WebSocketServer
/** What the server does with a request. */
let onRequest: (request: Request, socket: WebSocket) => void
const requests: Request[] = []

beforeEach(async () => {
  requests.length = 0
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const request = JSON.parse(data.toString()) as Request
      requests.push(request)
      onRequest(request, socket)
    }),
  )
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of server.clients) socket.terminate()
  server.close()
})

const update = (height: number, previous: number, sequence: number, isSnapshot = false) => ({
  ...{ market: 1, height: `${height}`, time_ms: '5', sequence: `${sequence}`, previous_sequence: `${previous}` },
  ...{ is_snapshot: isSnapshot, bids: [{ price_ticks: 3, lots: '9007199254740993', orders: 2 }], asks: [] },
})

/** The updates come in one packet with the reply, so that nothing is between. */
const tell =
  (...updates: readonly unknown[]): typeof onRequest =>
  ({ id, method }, socket) => {
    if (method !== 'clob_subscribe') return
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }))
    for (const result of updates) {
      const params = { subscription: '0x1', channel: 'book', result }
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'clob_subscription', params }))
    }
  }

/** Watches until the stream ends. */
const watch = async (onUpdate = (_: BookUpdate): void => undefined, fromHeight?: number) => {
  const { port } = server.address() as AddressInfo
  const transport = webSocket(`ws://127.0.0.1:${port}`, { reconnect: false, keepAlive: false })
  const client = createPublicClient({ transport }).extend(clobActions({ nativeChainId: 'test-1' }))
  const heights: number[] = []
  const error = await new Promise<Error>((resolve) => {
    const onTold = (told: BookUpdate): void => {
      heights.push(told.height)
      onUpdate(told)
    }
    client.watchBook({ market: 1, fromHeight, onUpdate: onTold, onError: resolve })
  })
  return { heights, error, client }
}

const closing = (then: typeof onRequest): typeof onRequest => {
  return (request, socket) => {
    then(request, socket)
    socket.close(1008, 'a subscription ended: too slow')
  }
}

it('tells what came before the end, with the reason of the node', async () => {
  onRequest = closing(tell(update(7, 4, 4, true), update(8, 4, 5)))
  const lots: bigint[] = []
  const { heights, error } = await watch(({ bids }) => lots.push(...bids.map((level) => level.lots)))
  expect(heights).toEqual([7, 8])
  expect(lots).toEqual([9_007_199_254_740_993n, 9_007_199_254_740_993n])
  expect(error).toMatchObject({ kind: 'ended', message: 'a subscription ended: too slow' })
  expect(requests[0]).toMatchObject({ method: 'clob_subscribe', params: ['book', { market: 1 }] })
})

it.each([
  ['a height', 'gap', [update(7, 4, 4, true), update(9, 4, 5), update(10, 5, 5)]],
  ['a sequence', 'gap', [update(7, 4, 4, true), update(8, 5, 5), update(9, 5, 5)]],
  ['the snapshot', 'gap', [update(7, 4, 4), update(8, 4, 4)]],
  ['a known form', 'answer', [update(7, 4, 4, true), { ...update(8, 4, 4), bids: 5 }]],
  ['a number below 2^53', 'answer', [update(7, 4, 4, true), { ...update(8, 4, 4), height: '9007199254740992' }]],
])('ends where a message lacks %s, and unsubscribes', async (_, kind, updates) => {
  onRequest = tell(...updates)
  const { heights, error } = await watch()
  expect(heights.length).toBeLessThan(2)
  expect(error).toMatchObject({ kind })
  await expect.poll(() => requests.at(-1)).toMatchObject({ method: 'clob_unsubscribe', params: ['0x1'] })
})

it('resumes at a height, and ends where the caller throws', async () => {
  onRequest = tell(update(7, 4, 4), update(8, 4, 4))
  const { heights, error } = await watch(({ height }) => {
    if (height === 8) throw new RangeError('mine')
  }, 7)
  expect(heights).toEqual([7, 8])
  expect(error.message).toBe('mine')
  expect(requests[0]).toMatchObject({ params: ['book', { market: 1, from_height: '7' }] })
})

it('ends where the stream begins behind the height that was asked for, or at another block', async () => {
  for (const begun of [8, 6]) {
    onRequest = tell(update(begun, 4, 4), update(begun + 1, 4, 4))
    const { heights, error } = await watch(undefined, 7)
    expect([heights, error.message]).toEqual([
      [],
      `block ${begun} was told first, and the stream should begin at block 7`,
    ])
  }
})

it('says where a stream cannot be taken up any more, so that a snapshot is needed', async () => {
  onRequest = ({ id, params }, socket) => {
    const error = {
      code: 4444,
      message: 'what block 7 changed of the order book is not known here any more, or not yet',
    }
    const isResumed = 'from_height' in (params[1] as object)
    if (isResumed) socket.send(JSON.stringify({ jsonrpc: '2.0', id, error }))
    else closing(tell(update(70, 4, 4, true)))({ id, method: 'clob_subscribe', params }, socket)
  }
  expect((await watch(undefined, 7)).error).toMatchObject({
    kind: 'missed',
    message: expect.stringContaining('block 7'),
  })
  expect((await watch()).heights).toEqual([70])
})

it('ends where the node refuses', async () => {
  onRequest = ({ id }, socket) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'there is no market 1' } }))
  }
  expect((await watch()).error).toMatchObject({ kind: 'ended', message: 'there is no market 1' })
})

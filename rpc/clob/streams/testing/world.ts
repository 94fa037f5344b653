/** For tests: a gateway with streams of the order book, in front of a double of the application that a test moves. */
import { afterEach, beforeEach } from 'vitest'
import WebSocket from 'ws'
import type { ClobDepth, ClobUpdates } from '../../../../app/ports.ts'
import { encodeBech32 } from '../../../../core/bech32.ts'
import { CodedError } from '../../../../core/errors.ts'
import { type Gateway, startGateway } from '../../../gateway.ts'
import { SILENT_LOG } from '../../../log.ts'
import { GATEWAY_DEFAULTS } from '../../../settings.ts'
import { createMemoryApplication, type MemoryApplication } from '../../../testing/memory-application.ts'

export const [MAKER, TAKER] = [1, 2].map((byte) => encodeBech32(new Uint8Array(20).fill(byte))) as [string, string]

export const level = (priceTicks: number, lots: string) => ({ priceTicks, lots, orders: 1 })

/** What block `height` did: at even heights one more record, and a new lot at price 100. */
const stampAt = (height: number) => ({
  sequence: Math.floor(height / 2),
  blockPriceTicks: 0,
  bid: level(100, String(height - (height % 2))),
  ask: null,
})
export const updatesAt = (height: number): ClobUpdates => ({
  height,
  timeMs: height * 1_000,
  markets:
    height % 2 === 1
      ? []
      : [
          {
            market: 1,
            before: stampAt(height - 1),
            after: stampAt(height),
            bids: [level(100, String(height))],
            asks: [],
            died: [],
          },
        ],
  records:
    height % 2 === 1
      ? []
      : [
          {
            kind: 'fill',
            market: 1,
            sequence: height / 2,
            ...{ makerSeq: 1, takerSeq: 2, priceTicks: 100, lots: 5, makerFee: '0', makerRebate: '0', takerFee: '1' },
            ...{ maker: MAKER, taker: TAKER, takerSide: 1, makerLotsLeft: 3, takerLotsLeft: 0 },
          },
        ],
  rejected: [],
  refused: [],
  next: null,
})

export interface Told {
  readonly height: string
  readonly sequence: string
  readonly previous_sequence: string
  readonly is_snapshot: boolean
  readonly bids?: readonly { readonly price_ticks: number; readonly lots: string }[]
  readonly trades?: readonly { readonly lots: string }[]
}

interface Message {
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly channel: string; readonly result: Told }
}

const answersOf = (world: World): MemoryApplication['answers'] => ({
  clobDepth: ({ market }) => {
    if (market !== 1) throw new CodedError('grpc', 5, `there is no market ${market}`)
    const { newest } = world
    const stamp = stampAt(newest)
    const depth = { height: newest, timeMs: newest * 1_000, ...stamp, bids: [stamp.bid], asks: [], next: null }
    return JSON.stringify(depth satisfies ClobDepth)
  },
  clobOrders: ({ market }) => {
    throw new CodedError('grpc', 5, `there is no market ${market}`)
  },
  clobPool: ({ market }) => {
    throw new CodedError('grpc', 5, `there is no market ${market}`)
  },
  clobStamp: ({ height }) => {
    if (height < world.oldest - 1) throw world.unknown()
    return JSON.stringify({ height, timeMs: 0, ...stampAt(height) })
  },
  clobUpdates: async ({ height, recordsFrom }) => {
    if (height < world.oldest || height > world.newest) throw world.unknown()
    const updates = updatesAt(height)
    return Promise.resolve(JSON.stringify(recordsFrom === undefined ? { ...updates, records: null } : updates))
  },
})

/** A client of WebSocket that takes its messages one by one. */
const connect = async (address: string | undefined) => {
  const socket = new WebSocket(`ws://${address}`)
  const messages: Message[] = []
  const waiters: ((message: Message) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    const waiter = waiters.shift()
    if (waiter === undefined) messages.push(message)
    else waiter(message)
  })
  const closed = new Promise<string>((resolve) => socket.once('close', (_, reason) => resolve(reason.toString())))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const next = (): Promise<Message> => {
    const message = messages.shift()
    return message === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(message)
  }
  const told = async (): Promise<Told> => {
    const { params } = await next()
    if (params === undefined) throw new RangeError('the client was told nothing')
    return params.result
  }
  const request = (method: string, params: unknown): Promise<Message> => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return next()
  }
  return { socket, next, told, request, closed }
}

/** All of it is new in each test. */
export class World {
  /** The oldest block that the ring has. */
  oldest = 1
  /** Newest height of the application, which may be above the gateway's head. */
  newest = 7
  application = createMemoryApplication(7)
  /** The warnings of the gateway's log. */
  warnings: Readonly<Record<string, unknown>>[] = []
  #gateway: Gateway | undefined

  get grpcAddress(): string {
    return this.#gateway?.grpcAddress ?? ''
  }

  async start(): Promise<void> {
    const warnings: Readonly<Record<string, unknown>>[] = []
    this.warnings = warnings
    this.oldest = 1
    this.newest = 7
    this.application = createMemoryApplication(this.newest)
    this.application.answers = answersOf(this)
    this.#gateway = await startGateway(
      {
        ...GATEWAY_DEFAULTS,
        grpcAddress: '127.0.0.1:0',
        address: undefined,
        restAddress: undefined,
        wsAddress: '127.0.0.1:0',
        wsBufferLimit: 1024 * 1024,
      },
      this.application,
      { ...SILENT_LOG, warn: (_, fields) => void warnings.push(fields ?? {}) },
    )
  }

  async close(): Promise<void> {
    await this.#gateway?.close()
  }

  /** A new connection. */
  open() {
    return connect(this.#gateway?.wsAddress)
  }

  commit(): void {
    this.newest++
    this.application.commit()
  }

  unknown(): CodedError {
    return new CodedError('query', 10, 'not known here any more', { from_height: this.oldest })
  }
}

/** One for all tests of a file; each test has it as new. */
export const useWorld = (): World => {
  const world = new World()
  beforeEach(() => world.start())
  afterEach(() => world.close())
  return world
}

/** What a message says of its place: its height, the sequence before it and behind it, and whether it is a snapshot. */
export const brief = ({ height, sequence, previous_sequence, is_snapshot }: Told) => [
  Number(height),
  Number(previous_sequence),
  Number(sequence),
  is_snapshot,
]

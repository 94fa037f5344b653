/** What many connections have to send at once, written to slow streams. */
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { MemoryBudget } from '../memory-budget.ts'
import { SocketWriter } from './socket-writer.ts'
import { WritingTurns } from './writing-turns.ts'

const LONG = Buffer.alloc(200_000)

const busyFor = (ms: number): void => {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

/** A stream that takes `ms` of the thread for what it is given, as the system does for megabytes. */
class BusyStream extends Duplex {
  readonly #ms: number
  readonly #written: () => void

  constructor(ms: number, written: () => void) {
    super({ highWaterMark: 1_000_000 })
    this.#ms = ms
    this.#written = written
  }

  override _read(): void {}

  override _writev(_chunks: unknown, done: () => void): void {
    busyFor(this.#ms)
    this.#written()
    done()
  }
}

interface Place {
  readonly client?: string
  readonly connection?: string
  readonly ms?: number
  readonly written?: () => void
}

/** Writers that share their turns and their budget. */
const createWriters = () => {
  const turns = new WritingTurns()
  const budget = new MemoryBudget(1_000_000_000)
  const create = ({ client = 'a', connection = '1', ms = 0, written = () => undefined }: Place): SocketWriter => {
    const stream = new BusyStream(ms, written)
    const socket = {
      OPEN: 1,
      readyState: 1,
      send: (part: string | Buffer) => void stream.write(part),
      get bufferedAmount() {
        return stream.writableLength
      },
    } as unknown as WebSocket
    const share = budget.open(client, () => undefined)
    const asker = { client, connection }
    return new SocketWriter({ socket, stream, share, asker, turns, bufferLimit: 10_000_000, onSlow: () => undefined })
  }
  return { budget, create }
}

const send = (writer: SocketWriter, ...messages: readonly (string | Buffer)[]): void => {
  writer.cork()
  for (const message of messages) writer.send([message])
}

const turnEnds = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('writers of WebSockets', () => {
  it('that have much to write at once give way to others between them', async () => {
    const { create } = createWriters()
    const order: string[] = []
    for (let index = 0; index < 10; index++) {
      send(create({ connection: String(index), ms: 3, written: () => order.push('long') }), LONG, LONG)
    }
    while (order.filter((what) => what === 'long').length < 10) {
      await turnEnds()
      order.push('turn')
    }
    expect(order.join(' ')).not.toContain('long long')
  })

  it('that have little to write do so at the end of the turn, also where others wait', async () => {
    const { create } = createWriters()
    const order: string[] = []
    for (let index = 0; index < 10; index++) {
      send(create({ connection: String(index), ms: 3, written: () => order.push('long') }), LONG)
    }
    send(create({ connection: 'short', written: () => order.push('short') }), 'some', 'text')
    while (order.length < 11) await turnEnds()
    expect(order.indexOf('short')).toBeLessThan(3)
  })

  it('of many connections of one client let those of another through', async () => {
    const { create } = createWriters()
    const order: string[] = []
    for (let index = 0; index < 10; index++) {
      send(create({ connection: String(index), ms: 2, written: () => order.push('a') }), LONG)
    }
    send(create({ client: 'b', ms: 2, written: () => order.push('b') }), LONG)
    while (order.length < 11) await turnEnds()
    expect(order.indexOf('b')).toBeLessThan(3)
  })

  it('that wait for their turn are counted, with what comes to it', async () => {
    const { budget, create } = createWriters()
    const writers = Array.from({ length: 5 }, (_, index) => create({ connection: String(index), ms: 3 }))
    for (const writer of writers) send(writer, LONG)
    await turnEnds()
    expect(budget.held).toBeGreaterThan(2 * LONG.length)
    const before = budget.held
    send(writers[4] as SocketWriter, LONG)
    expect(budget.held).toBeGreaterThanOrEqual(before + LONG.length)
    await expect.poll(() => budget.held).toBe(0)
  })
})

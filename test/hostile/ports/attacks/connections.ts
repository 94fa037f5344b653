/** Attacks that hold connections and say little or nothing over them. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, type Attack, isOver, leftMs, pump, scaled, untilEnd } from '../attack.ts'
import { hello } from '../http2.ts'
import { connectTo, LOOPBACK_HOST, rawHead, untilDrained } from '../wire.ts'

const EVERY_MS = 1_000
const HELD = /^(connected|not connected|closed by server|answered|HTTP\/1\.1 (408|503) .*)$/

interface Holding {
  readonly address: string
  readonly count: number
  readonly first?: string | Buffer
  /** Sent again and again over each. */
  readonly drip?: string
}

const firstLine = (bytes: Buffer): string => {
  const [line = ''] = bytes.toString('latin1', 0, 60).split('\r\n')
  return line.startsWith('HTTP/') ? line : 'answered'
}

const hold = async (assault: Assault, { address, count, first, drip }: Holding): Promise<void> => {
  const { tally } = assault
  const sockets: Socket[] = []
  await pump(assault, { count, width: 100 }, async () => {
    const socket = await connectTo(address, 3_000)
    if (socket === undefined) return tally.add('not connected')
    tally.add('connected')
    socket.once('data', (bytes: Buffer) => tally.add(firstLine(bytes))).on('data', () => undefined)
    socket.once('close', () => tally.add('closed by server'))
    if (first !== undefined) socket.write(first)
    return sockets.push(socket)
  })
  while (!isOver(assault)) {
    if (drip !== undefined) for (const socket of sockets) if (!socket.destroyed) socket.write(drip)
    await sleep(Math.min(EVERY_MS, leftMs(assault)))
  }
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
}

/** A body that never ends: its bytes wait in the node. */
const UNFINISHED_BYTES = 4_900_000

const holdBodies = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const part = Buffer.alloc(UNFINISHED_BYTES, ' ')
  const sockets: Socket[] = []
  await pump(assault, { count: scaled(assault, 150), width: 4 }, async () => {
    const socket = await connectTo(target.http, 2_000)
    if (socket === undefined) return tally.add('not connected')
    tally.add('connected')
    socket.once('close', () => tally.add('closed by server'))
    socket.once('data', (bytes: Buffer) => tally.add(firstLine(bytes)))
    socket.write(rawHead(UNFINISHED_BYTES + 1))
    if (!socket.write(part)) await untilDrained(socket, Math.min(2_000, leftMs(assault)))
    return sockets.push(socket)
  })
  await untilEnd(assault)
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
}

export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: 'slowloris headers, 1,500',
    seconds: 12,
    bounded: 'connections, and the time of a request to arrive',
    outcomes: HELD,
    run: (assault) => {
      const first = `POST / HTTP/1.1\r\n${LOOPBACK_HOST}`
      return hold(assault, { address: assault.target.http, count: scaled(assault, 1_500), first, drip: 'X-a: b\r\n' })
    },
  },
  {
    name: 'slowloris bodies, 1,500',
    seconds: 12,
    bounded: 'connections, and the time of a request to arrive',
    outcomes: HELD,
    run: (assault) => {
      const first = `${rawHead(4_000_000)}[`
      return hold(assault, { address: assault.target.http, count: scaled(assault, 1_500), first, drip: ' ' })
    },
  },
  {
    name: 'idle HTTP connections, 2,000',
    seconds: 8,
    bounded: 'connections',
    outcomes: HELD,
    run: (assault) => hold(assault, { address: assault.target.http, count: scaled(assault, 2_000) }),
  },
  {
    name: 'unfinished HTTP bodies of 4.9 MB, 150',
    seconds: 12,
    bounded: 'bytes of unfinished bodies, of a client and of all',
    outcomes: /^(connected|not connected|closed by server|HTTP\/1\.1 (408|413|429|503) .*)$/,
    run: holdBodies,
  },
  {
    name: 'idle gRPC connections, 6,000',
    seconds: 14,
    bounded: 'connections of gRPC',
    outcomes: HELD,
    run: (assault) => hold(assault, { address: assault.target.grpc, count: scaled(assault, 6_000), first: hello() }),
  },
]

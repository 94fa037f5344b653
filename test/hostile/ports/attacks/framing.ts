/** HTTP/1.1 as no client writes it: pipelines that nobody reads, headers without end, and lengths that contradict. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, type Attack, isOver, leftMs, pump, scaled, untilEnd } from '../attack.ts'
import { batchText, connectTo, exchange, LOOPBACK_HOST, rawPost, rpcText, untilDrained } from '../wire.ts'

const pipeline = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const requests = Buffer.from(rawPost(rpcText('eth_getBlockByNumber', ['latest', true])).repeat(400))
  const one = async (): Promise<void> => {
    const socket = await connectTo(target.http)
    if (socket === undefined) return tally.add('not connected')
    socket.pause()
    socket.once('close', () => tally.add('closed by server'))
    while (!isOver(assault) && !socket.destroyed) {
      tally.add('written', 400)
      if (!socket.write(requests)) await untilDrained(socket, leftMs(assault))
    }
    socket.removeAllListeners('close').destroy()
  }
  await Promise.all(Array.from({ length: Math.max(2, scaled(assault, 8)) }, one))
}

/** All at once, and all that a connection takes: a server that reads it to the end does nothing else for minutes. */
const pipelineTogether = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const requests = [
    [target.http, Buffer.from(rawPost(rpcText('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])).repeat(10_000))],
    [
      target.rest,
      Buffer.from(`GET /cosmos/base/tendermint/v1beta1/node_info HTTP/1.1\r\n${LOOPBACK_HOST}\r\n`.repeat(20_000)),
    ],
  ] as const
  while (!isOver(assault)) {
    const sockets = await Promise.all(
      Array.from({ length: scaled(assault, 400) }, async (_, index) => {
        const [address, bytes] = requests[index % 4 === 3 ? 1 : 0]
        return [await connectTo(address), bytes] as const
      }),
    )
    await Promise.all(
      sockets.map(async ([socket, bytes]) => {
        if (socket === undefined) return tally.add('not connected')
        socket.pause()
        socket.once('close', () => tally.add('closed by server'))
        tally.add('asked')
        if (!socket.write(bytes)) await untilDrained(socket, Math.min(4_000, leftMs(assault)))
        socket.removeAllListeners('close').destroy()
      }),
    )
  }
}

const leaveUnread = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const body = batchText(620, (index) => rpcText('eth_getBlockByNumber', ['latest', false], index))
  const requests = rawPost(body).repeat(3)
  const sockets: Socket[] = []
  await pump(assault, { count: scaled(assault, 400), width: 8 }, async () => {
    const socket = await connectTo(target.http, 2_000)
    if (socket === undefined) return tally.add('not connected')
    socket.pause()
    socket.once('close', () => tally.add('closed by server'))
    socket.write(requests)
    tally.add('asked')
    sockets.push(socket)
    return await sleep(100)
  })
  await untilEnd(assault)
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
}

/** Bodies without end in chunks of one byte: a read of 64 KiB has ten thousand of them. */
const sendTinyChunks = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const chunks = Buffer.from('1\r\n \r\n'.repeat(10_000))
  const paths = [
    [target.http, '/'],
    [target.http, '/nothing'],
    [target.rest, '/cosmos/tx/v1beta1/simulate'],
  ] as const
  const head = `${LOOPBACK_HOST}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
  await pump(assault, { width: 8 }, async (index) => {
    const [address, path] = paths[index % paths.length] ?? paths[0]
    const socket = await connectTo(address)
    if (socket === undefined) return tally.add('not connected')
    let line: string | undefined
    socket.on('data', (bytes: Buffer) => (line ??= bytes.toString('latin1').split('\r\n')[0]))
    socket.write(`POST ${path} HTTP/1.1\r\n${head}`)
    while (!isOver(assault) && !socket.destroyed) {
      if (!socket.write(chunks)) await untilDrained(socket, leftMs(assault))
    }
    tally.add(line ?? 'closed')
    return socket.destroy()
  })
}

const post = (head: string, rest: string, line = 'POST / HTTP/1.1'): string =>
  `${line}\r\n${head}content-type: application/json\r\n${rest}`

const oddRequests = (): readonly string[] => {
  const body = rpcText('eth_blockNumber')
  const length = `content-length: ${body.length}\r\n\r\n${body}`
  const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${LOOPBACK_HOST}${more}\r\n`
  return [
    post('', length, 'POST / HTTP/1.0'),
    get('/', `X: ${'a'.repeat(1_000_000)}\r\n`),
    get('/', 'X: a\r\n'.repeat(10_000)),
    get('/', 'X: a\r\n'.repeat(1_500)),
    get(`/${'a'.repeat(1_000_000)}`),
    post(LOOPBACK_HOST, 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    post(LOOPBACK_HOST, 'content-length: 5\r\ncontent-length: 50\r\n\r\nhello'),
    post('', length),
    `POST / HTTP/1.1\n${LOOPBACK_HOST.replace('\r', '')}content-length: 0\n\n`,
    get('/../../../../etc/passwd'),
    get('/%zz%00%c0%ae'),
    post(LOOPBACK_HOST, 'content-length: -1\r\n\r\n'),
    post(LOOPBACK_HOST, `transfer-encoding: chunked\r\n\r\n1;${'a'.repeat(1_000_000)}\r\n1\r\n0\r\n\r\n`),
  ]
}

const frameOddly = async (assault: Assault): Promise<void> => {
  const requests = oddRequests()
  const count = Math.max(requests.length, scaled(assault, 4_000))
  await pump(assault, { count, width: 32 }, async (index) =>
    assault.tally.add(await exchange(assault.target.http, requests[index % requests.length] ?? '', 700)),
  )
}

export const FRAMING_ATTACKS: readonly Attack[] = [
  {
    name: 'HTTP pipelining, 8 connections, never read',
    seconds: 12,
    bounded: 'bytes that a client leaves unread',
    outcomes: /^(written|closed by server|not connected)$/,
    run: pipeline,
  },
  {
    name: 'HTTP pipelining, 400 connections at once, never read',
    seconds: 12,
    bounded: 'requests ahead of a connection, and of all connections of a client',
    outcomes: /^(asked|closed by server|not connected)$/,
    run: pipelineTogether,
  },
  {
    name: 'HTTP answers just under 1 MB that nobody reads, 400',
    seconds: 15,
    bounded: 'bytes that clients leave unread, of one and of all',
    outcomes: /^(asked|closed by server|not connected)$/,
    run: leaveUnread,
  },
  {
    name: 'HTTP bodies in chunks of one byte',
    seconds: 8,
    bounded: 'small pieces of a connection, and the next connections of its client',
    outcomes: /^(HTTP\/1\.1 (400|404) .*|closed|not connected)$/,
    run: sendTinyChunks,
  },
  {
    name: 'HTTP/1.0, huge and many headers, odd framing',
    seconds: 8,
    bounded: 'bytes and number of headers, bytes of a target',
    outcomes: /^(HTTP\/1\.[01] (200|400|403|404|405|413|414|431|429|503) .*|closed|no answer in time|not connected)$/,
    refusal: /^HTTP\/1\.1 431 /,
    run: frameOddly,
  },
]

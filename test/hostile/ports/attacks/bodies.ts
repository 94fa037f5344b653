/** Bodies that are long, deep, crowded, or odd to read. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, type Attack, isOver, leftMs, pump, scaled } from '../attack.ts'
import { batchText, connectTo, flood, LOOPBACK_HOST, rawHead, rpcText, untilDrained } from '../wire.ts'

const NOBODY = '0x00000000000000000000000000000000000c0de5'
const HUGE_BYTES = 104_857_600
const ANNOUNCED = rawHead(HUGE_BYTES)
const CHUNKED = `POST / HTTP/1.1\r\n${LOOPBACK_HOST}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
const PART = Buffer.alloc(65_536, ' ')
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), PART, Buffer.from('\r\n')])

/** Writes on until there is an answer or the other side has closed. */
const sendHuge = async (assault: Assault, isChunked: boolean): Promise<string> => {
  const socket = await connectTo(assault.target.http)
  if (socket === undefined) return 'not connected'
  let answer = ''
  const ended = new Promise<void>((resolve) => {
    socket.once('data', (bytes: Buffer) => {
      answer = bytes.toString('latin1', 0, 60).split('\r\n')[0] ?? ''
      resolve()
    })
    socket.once('close', () => resolve())
  })
  socket.write(isChunked ? CHUNKED : ANNOUNCED)
  const part = isChunked ? CHUNK : PART
  for (let sent = 0; sent < HUGE_BYTES && answer === '' && !socket.destroyed && !isOver(assault); sent += PART.length) {
    if (!socket.write(part)) await Promise.race([ended, untilDrained(socket, Math.min(1_500, leftMs(assault)))])
  }
  socket.destroy()
  return answer === '' ? 'cut' : answer
}

const BEGUN = Buffer.alloc(140_000, ' ')

/** A body of 5 MB of which little comes: each is to cost no more than what came of it. */
const beginBody = async (assault: Assault): Promise<string> => {
  const socket = await connectTo(assault.target.http)
  if (socket === undefined) return 'not connected'
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.resume()
  socket.write(rawHead(5_000_000))
  if (!socket.write(BEGUN)) await Promise.race([closed, untilDrained(socket, Math.min(1_500, leftMs(assault)))])
  socket.end()
  await Promise.race([closed, sleep(Math.min(500, leftMs(assault)))])
  socket.destroy()
  return 'left'
}

const deepBodies = (): readonly string[] => [
  '['.repeat(5_000_000),
  '['.repeat(9_990) + ']'.repeat(9_990),
  '{"a":'.repeat(900_000),
  `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${'['.repeat(9_000)}${']'.repeat(9_000)}]}`,
  '['.repeat(2_500_000) + ']'.repeat(2_500_000),
  `{"jsonrpc":"2.0","id":1,"method":"debug_traceCall","params":[{},"latest",{"tracerConfig":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}]}`,
]

const crowdedBodies = (): readonly string[] => {
  const call = rpcText('eth_blockNumber')
  return [
    `[${'1,'.repeat(999_999)}1]`,
    `[${'{},'.repeat(99_990)}{}]`,
    `[${`${call},`.repeat(60_000)}${call}]`,
    `[${'1,'.repeat(99_990)}1]`,
  ]
}

/** The length is what a body may have, or nearly so. */
const LONG = 4_900_000

const oddBodies = (): readonly (string | Buffer)[] => {
  const digits = 'f'.repeat(LONG)
  return [
    `{"jsonrpc":"2.0","id":"${'i'.repeat(4_000_000)}","method":"eth_blockNumber","params":[]}`,
    batchText(1_000, () => rpcText('eth_blockNumber', [], 7)),
    '{"jsonrpc":"2.0","id":1,"id":2,"ID":3,"method":"eth_blockNumber","method":"eth_chainId"}',
    rpcText('eth_call', [{ to: NOBODY, data: `0x${digits}` }, 'latest']),
    rpcText('eth_getBalance', [`0x${digits}`, 'latest']),
    rpcText('eth_getBalance', [NOBODY, `0x${digits}`]),
    rpcText('web3_sha3', [`0x${digits.slice(0, 4_800_000)}`]),
    rpcText('eth_sendRawTransaction', [`0x${digits}`]),
    rpcText('eth_estimateGas', [{ gas: `0x${digits}` }]),
    `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[${'1,'.repeat(99_000)}1]}`,
    Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.alloc(200_000, 0xff), Buffer.from('"}')]),
    `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(LONG)}"}`,
    `{"jsonrpc":"2.0","id":1,"method":"eth_${'\\u0000'.repeat(300_000)}"}`,
    '{"jsonrpc":"2.0","id":1e999999999,"method":"eth_chainId"}',
    `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":[${'9'.repeat(4_000_000)},false]}`,
    '{"__proto__":{"x":1},"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":[]}}',
    rpcText('constructor'),
    `{"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":[1e308,"latest",[1e308]]}`,
    `"${'\\u0000'.repeat(800_000)}`,
    ' '.repeat(LONG),
    `{"jsonrpc":"2.0","id":"${'<'.repeat(LONG)}","method":"eth_chainId","params":[]}`,
  ]
}

const floodBodies = (assault: Assault, bodies: readonly (string | Buffer)[]): Promise<void> =>
  flood(assault, Math.max(2, scaled(assault, 8)), (index) => bodies[index % bodies.length] ?? '')

/** What is said of a text that cannot be read, or holds too much. */
const READING = 'ok|-32700 .*|-32600 .*|-32601 .*|-32602 .*|-32005 .*|-32003 .*|-32000 .*'
const REFUSED = 'HTTP (400|413|429|503)|ECONNRESET|EPIPE|socket hang up|no answer in time'
const READ = new RegExp(`^(${READING}|${REFUSED})$`)

export const BODY_ATTACKS: readonly Attack[] = [
  {
    name: 'bodies of 100 MB',
    seconds: 12,
    bounded: 'bytes of a body',
    outcomes: /^(cut|not connected|HTTP\/1\.1 (200|400|413|429|503) .*)$/,
    refusal: /^(HTTP\/1\.1 413 |cut$)/,
    run: (assault) => {
      const send = async (index: number): Promise<void> => assault.tally.add(await sendHuge(assault, index % 2 === 1))
      return pump(assault, { count: Math.max(2, scaled(assault, 60)), width: 8 }, send)
    },
  },
  {
    name: 'bodies of 5 MB that are begun and left, 64',
    seconds: 10,
    bounded: 'memory of a body, which is used again',
    outcomes: /^(left|not connected)$/,
    run: (assault) => {
      const send = async (): Promise<void> => assault.tally.add(await beginBody(assault))
      return pump(assault, { count: Infinity, width: Math.max(2, scaled(assault, 64)) }, send)
    },
  },
  {
    name: 'nested JSON and 5 MB of brackets',
    seconds: 10,
    bounded: 'depth and values of a text, before it is parsed',
    outcomes: READ,
    refusal: /^-32700 parse error/,
    run: (assault) => floodBodies(assault, deepBodies()),
  },
  {
    name: 'batches of 1,000,000 items',
    seconds: 10,
    bounded: 'values of a text, and requests of a batch',
    outcomes: READ,
    refusal: /^-32005 request with more than # values/,
    run: (assault) => floodBodies(assault, crowdedBodies()),
  },
  {
    name: 'batches of 1,000 cheap reads',
    seconds: 10,
    bounded: 'bytes of the answers of a batch, and the turn of each client',
    outcomes: READ,
    run: (assault) => {
      const readTwice = (index: number): string =>
        index % 2 === 0
          ? rpcText('eth_getBlockByNumber', ['latest', true], index)
          : rpcText('eth_getBalance', [NOBODY, 'latest'], index)
      const text = batchText(1_000, readTwice)
      return flood(assault, Math.max(2, scaled(assault, 32)), () => text)
    },
  },
  {
    name: 'odd JSON: ids, hex, UTF-8, long names',
    seconds: 10,
    bounded: 'bytes of a name, an id, a number and a text',
    outcomes: READ,
    refusal: /^-3260[012] /,
    run: (assault) => floodBodies(assault, oddBodies()),
  },
  {
    name: 'reads at "pending", batches of 1,000',
    seconds: 10,
    bounded: 'the turn of each client',
    outcomes: READ,
    run: (assault) => {
      const text = batchText(1_000, (index) => rpcText('eth_getBalance', [NOBODY, 'pending'], index))
      return flood(assault, Math.max(2, scaled(assault, 16)), () => text)
    },
  },
]

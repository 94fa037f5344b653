/** Requests whose values take many times their bytes: what a node keeps of them, while it waits for answers, is its memory. */
import { connect } from 'node:http2'
import type { WebSocket } from 'ws'
import { type Assault, type Attack, isOver, leftMs, pump, scaled, untilEnd } from '../attack.ts'
import { grpcMessage } from '../http2.ts'
import { LOOP } from '../programs.ts'
import { countMessages, endAll, openCounted } from '../sockets.ts'
import { askHttp, keptAlive, outcomeOf } from '../wire.ts'

const CALLED = '0x00000000000000000000000000000000000c0de5'
const CALL_GAS = `0x${(50_000_000).toString(16)}`
/** A call that takes as long as it may, and a member that nobody reads. */
const slowCall = (more: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"${CALLED}","gas":"${CALL_GAS}","x":${more}},"latest",{"${CALLED}":{"code":"${LOOP}"}}]}`
/** Three bytes a value. */
const valuesOf = (count: number): string => `[${'{},'.repeat(count - 1)}{}]`
/** Megabytes of text, twice as long in memory for the sake of one character. */
const wideText = (megabytes: number): string => {
  const text = 'a'.repeat(Math.floor((megabytes * 1_000_000) / 95_000) - 3)
  return `["\u20ac"${`,"${text}"`.repeat(94_999)}]`
}

/** Each over a connection of its own, as proxies send them. */
const floodSlowCalls = async (assault: Assault, body: string, count: number): Promise<void> => {
  const agent = keptAlive(count)
  await pump(assault, { count, width: count }, async () => {
    const limitMs = leftMs(assault) + 1_000
    assault.tally.add(outcomeOf(await askHttp(assault.target.http, { body, agent, limitMs })))
  })
  agent.destroy()
}

const mixSizes = async (assault: Assault): Promise<void> => {
  const [many, large] = [await openCounted(assault), await openCounted(assault)]
  if (many === undefined || large === undefined) return
  countMessages(many, assault)
  countMessages(large, assault)
  const slow = slowCall(valuesOf(99_900))
  for (let sent = 0; sent < Math.max(4, scaled(assault, 54)); sent++) many.send(slow)
  const text = `{"jsonrpc":"2.0","id":2,"method":"eth_chainId","x":${wideText(29)}}`
  for (let sent = 0; sent < scaled(assault, 3); sent++) large.send(text)
  await untilEnd(assault)
  endAll([many, large])
}

const seemToSubscribe = async (assault: Assault): Promise<void> => {
  const text = wideText(assault.scale < 1 ? 2 : 24)
  const messages = [
    `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":${text},"y":"subscribe"}`,
    `{"jsonrpc":"2.0","id":1,"method":"eth_subscri\\u0062e","params":["newHeads"],"x":${text}}`,
  ]
  const sockets: WebSocket[] = []
  await pump(assault, { count: 4, width: 4 }, async (index) => {
    const socket = await openCounted(assault)
    if (socket === undefined) return
    sockets.push(socket)
    countMessages(socket, assault)
    const message = messages[index % messages.length] ?? ''
    socket.send(message)
    socket.on('message', () => {
      if (!isOver(assault)) socket.send(message)
    })
  })
  await untilEnd(assault)
  endAll(sockets)
}

/** One gRPC call of `cosmos.evm.vm.v1.Query/EthCall`; its status as a word. */
const ethCall = (address: string, args: string, limitMs: number): Promise<string> =>
  new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const settle = (word: string): void => {
      clearTimeout(timer)
      session.destroy()
      resolve(word)
    }
    const timer = setTimeout(() => settle('no answer in time'), limitMs)
    session.once('error', () => settle('closed by server'))
    const call = session.request({
      ':method': 'POST',
      ':path': '/cosmos.evm.vm.v1.Query/EthCall',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const told = (headers: Readonly<Record<string, unknown>>): void => {
      if (headers['grpc-status'] !== undefined) settle(`status ${String(headers['grpc-status'])}`)
    }
    call
      .on('response', told)
      .on('trailers', told)
      .on('error', () => settle('closed by server'))
    call.resume()
    const bytes = Buffer.from(args)
    const length: number[] = []
    for (let left = bytes.length; length.length === 0 || left > 0; left = Math.floor(left / 128)) {
      length.push((left % 128) + (left >= 128 ? 128 : 0))
    }
    // Field 1, of bytes.
    call.end(grpcMessage(Buffer.concat([Buffer.from([0x0a, ...length]), bytes])))
  })

const floodEthCalls = async (assault: Assault): Promise<void> => {
  const depth = 500_000
  const args = [
    `{"x":${valuesOf(340_000)}}`,
    `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    `{"x":${valuesOf(99_000)}}`,
  ]
  await pump(assault, { width: Math.max(3, scaled(assault, 16)) }, async (index) => {
    assault.tally.add(await ethCall(assault.target.grpc, args[index % args.length] ?? '', leftMs(assault) + 1_000))
  })
}

const REFUSED = 'HTTP (429|503)|ECONNRESET|socket hang up|no answer in time'
const ANSWERED = new RegExp(`^(ok|-32000 .*|-32002 .*|-32003 .*|-32005 .*|-32603 execution aborted.*|${REFUSED})$`)
const SOCKET = /^(connected|not connected|ok|-32000 .*|-3200[235] .*|-32600 .*|-32603 .*|closed (1013|1006|1009).*)$/

export const VALUE_ATTACKS: readonly Attack[] = [
  {
    name: 'slow calls with 99,900 values in 300 KB, 150',
    seconds: 20,
    bounded: 'values that are kept while a call waits, and the turns of clients',
    outcomes: ANSWERED,
    run: (assault) => floodSlowCalls(assault, slowCall(valuesOf(99_900)), Math.max(4, scaled(assault, 150))),
  },
  {
    name: 'batches with 93,000 values in 280 KB, 430',
    seconds: 20,
    bounded: 'values of batches that wait, by the budget of memory',
    outcomes: ANSWERED,
    run: (assault) => floodSlowCalls(assault, `[${slowCall(valuesOf(93_000))}]`, Math.max(4, scaled(assault, 430))),
  },
  {
    name: 'WebSocket: 54 slow calls of 99,900 values beside 3 messages of 29 MB',
    seconds: 20,
    bounded: 'values that are kept while a call waits: the largest message is read beside them',
    outcomes: SOCKET,
    run: mixSizes,
  },
  {
    name: 'WebSocket messages of 24 MB that seem to subscribe, 4',
    seconds: 12,
    bounded: 'bytes of a message that subscribes',
    outcomes: SOCKET,
    refusal: /^-32600 a message that subscribes/,
    run: seemToSubscribe,
  },
  {
    name: 'gRPC calls whose JSON is crowded or deep, 16',
    seconds: 10,
    bounded: 'values and depth of JSON in a message',
    outcomes: /^(status \d+|no answer in time|closed by server)$/,
    refusal: /^status 3$/,
    run: floodEthCalls,
  },
]

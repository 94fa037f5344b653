/** Attacks over WebSocket: many connections, many subscriptions, criteria, and notifications that nobody reads. */
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import type { WebSocket } from 'ws'
import { EVM_CHAIN_ID } from '../../../e2e/harness.ts'
import { type Assault, type Attack, isOver, pump, scaled, untilEnd } from '../attack.ts'
import { sendLogs, sendTransactions } from '../prepare.ts'
import { countMessages, endAll, openCounted, openDeaf } from '../sockets.ts'
import { rpcText } from '../wire.ts'
import { largeCriteria } from './criteria.ts'

const SLOW = '1008 too slow: messages were left unread'
const LIMIT = '-32005 .*'
const ENDED = '1013 .*'
const SOCKET = `connected|not connected|ok|notification|${LIMIT}|closed (${SLOW}|${ENDED}|1006|1008 .*|1009.*)`
const OUTCOMES = new RegExp(`^(${SOCKET}|sent|sent: .*)$`)
const SENT_OUTCOMES = new RegExp(`^(${SOCKET}|-32000 insufficient funds.*|-32000 txpool is full|-32002 .*)$`)
const MEGABYTE = Buffer.alloc(1_000_000, ' ')

const idle = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  await pump(assault, { count: scaled(assault, 2_000), width: 50 }, async () => {
    const socket = await openCounted(assault)
    if (socket !== undefined) sockets.push(socket)
  })
  await untilEnd(assault)
  endAll(sockets)
}

const subscribeOften = async (assault: Assault): Promise<void> => {
  const socket = await openCounted(assault)
  if (socket === undefined) return
  countMessages(socket, assault)
  for (let index = 0; index < Math.max(1_100, scaled(assault, 10_000)) && !isOver(assault); index++) {
    socket.send(rpcText('eth_subscribe', [index % 2 === 0 ? 'newHeads' : 'newPendingTransactions'], index))
    if (index % 200 === 0) await sleep(1)
  }
  await untilEnd(assault)
  endAll([socket])
}

const neverReadHeads = async (assault: Assault): Promise<void> => {
  const sockets = await openDeaf(assault, { count: 40, batches: 10, params: ['newHeads'] })
  for (const socket of sockets) socket.pause()
  await untilEnd(assault)
  endAll(sockets)
}

const neverReadTransactions = async (assault: Assault): Promise<void> => {
  const sockets = await openDeaf(assault, { count: 40, batches: 5, params: ['newPendingTransactions', true] })
  for (const socket of sockets) socket.pause()
  await sendTransactions(assault, scaled(assault, 300))
  await untilEnd(assault)
  endAll(sockets)
}

/** Half of them name a transaction that never is in a block. */
const neverReadReceipts = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  const named = { transactionHashes: [`0x${'ab'.repeat(32)}`] }
  for (let opened = 0; opened < scaled(assault, 200) && !isOver(assault); opened++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    socket.send(rpcText('eth_subscribe', opened % 2 === 0 ? ['transactionReceipts'] : ['transactionReceipts', named]))
    sockets.push(socket)
  }
  await sleep(300)
  for (const socket of sockets) socket.pause()
  await sendLogs(assault, Math.max(2, scaled(assault, 12)))
  await untilEnd(assault)
  endAll(sockets)
}

/** To logs of contracts that do nothing: what each of thousands of subscriptions costs a log that none of them wants. */
const subscribeToNothing = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  for (let opened = 0; opened < scaled(assault, 7) && !isOver(assault); opened++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    countMessages(socket, assault)
    for (let index = 0; index < Math.max(50, scaled(assault, 1_000)); index++) {
      const address = `0x${(opened * 100_000 + index + 1).toString(16).padStart(40, '0')}`
      socket.send(rpcText('eth_subscribe', ['logs', { address }], index))
    }
    sockets.push(socket)
  }
  await sendLogs(assault, Math.max(2, scaled(assault, 16)))
  await untilEnd(assault)
  endAll(sockets)
}

const subscribeToMuch = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  const each = Math.max(10, scaled(assault, 150))
  for (let opened = 0; opened < scaled(assault, 5) && !isOver(assault); opened++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    countMessages(socket, assault)
    sockets.push(socket)
    for (let index = 0; index < each && !isOver(assault); index++) {
      socket.send(rpcText('eth_subscribe', ['logs', largeCriteria(opened * 1_000 + index)], index))
      await sleep(5)
    }
  }
  await untilEnd(assault)
  endAll(sockets)
}

const unfinished = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  await pump(assault, { count: scaled(assault, 25), width: 2 }, async () => {
    const socket = await openCounted(assault)
    if (socket === undefined) return
    sockets.push(socket)
    for (let sent = 0; sent < 31 && !isOver(assault); sent++) {
      // A socket that was closed takes nothing more: its close is counted.
      await new Promise<void>((resolve) => socket.send(MEGABYTE, { fin: false }, () => resolve()))
    }
  })
  await untilEnd(assault)
  endAll(sockets)
}

/** Sends one kind of frame until the node closes the connection; then over the next one. */
const floodWith =
  (send: (socket: WebSocket) => void) =>
  async (assault: Assault): Promise<void> => {
    await pump(assault, { width: 8 }, async () => {
      const socket = await openCounted(assault)
      if (socket === undefined) return await sleep(50)
      while (!isOver(assault) && socket.readyState === socket.OPEN) {
        for (let count = 0; count < 1_000; count++) send(socket)
        await sleep(1)
      }
      return endAll([socket])
    })
  }

const floodPings = floodWith((socket) => socket.ping('', true, () => undefined))
const floodFragments = floodWith((socket) => socket.send(' ', { fin: false }, () => undefined))

/** Their account has no funds, so that each is refused for nothing. */
const signLongTransactions = async (count: number): Promise<readonly string[]> => {
  const account = privateKeyToAccount(`0x${'5a'.repeat(32)}`)
  const fees = { gas: 6_000_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const sign = async (nonce: number): Promise<string> => {
    const data = `0x${'ab'.repeat(130_000 - nonce)}` as const
    const raw = await account.signTransaction({ chainId: EVM_CHAIN_ID, nonce, to: account.address, data, ...fees })
    return rpcText('eth_sendRawTransaction', [raw], nonce)
  }
  return await Promise.all(Array.from({ length: count }, (_, nonce) => sign(nonce)))
}

/** Each sends 14 of them and has gone 60 ms later, again and again. */
const sendAndGo = async (assault: Assault): Promise<void> => {
  const texts = await signLongTransactions(Math.max(4, scaled(assault, 60)))
  let sent = 0
  await pump(assault, { width: Math.max(2, scaled(assault, 40)) }, async () => {
    const socket = await openCounted(assault)
    if (socket === undefined) return await sleep(50)
    countMessages(socket, assault)
    for (let count = 0; count < 14; count++) socket.send(texts[sent++ % texts.length] ?? '', () => undefined)
    await sleep(60)
    return endAll([socket])
  })
}

export const WEBSOCKET_ATTACKS: readonly Attack[] = [
  {
    name: 'idle WebSockets, 2,000',
    seconds: 10,
    bounded: 'connections',
    outcomes: OUTCOMES,
    run: idle,
  },
  {
    name: 'WebSockets that send transactions of 130 KB and go, 40',
    seconds: 15,
    bounded:
      'bytes that wait to be sent to the application, of which the greediest loses; few of them are on their way',
    outcomes: SENT_OUTCOMES,
    run: sendAndGo,
  },
  {
    name: 'one WebSocket subscribes 10,000 times',
    seconds: 10,
    bounded: 'subscriptions of a connection',
    outcomes: OUTCOMES,
    refusal: /^-32005 too many subscriptions/,
    run: subscribeOften,
  },
  {
    name: 'WebSockets that never read: 40 x 1,000 newHeads',
    seconds: 15,
    bounded: 'bytes that a connection leaves unread, and all connections together',
    outcomes: OUTCOMES,
    run: neverReadHeads,
  },
  {
    name: 'WebSockets that never read: 40 x 500 full pending + 300 txs',
    seconds: 18,
    bounded: 'bytes that a connection leaves unread, and all connections together',
    outcomes: OUTCOMES,
    run: neverReadTransactions,
  },
  {
    name: 'WebSockets that never read: 200 x receipts, blocks of 39,000 logs',
    seconds: 15,
    bounded:
      'bytes that a connection leaves unread; a receipt is made text of once, and asked for where somebody wants it',
    outcomes: OUTCOMES,
    run: neverReadReceipts,
  },
  {
    name: 'WebSocket subscriptions to logs of nobody, 7 x 1,000, blocks of 39,000 logs',
    seconds: 15,
    bounded: 'subscriptions of a client; a log is held against those alone that may want it',
    outcomes: OUTCOMES,
    run: subscribeToNothing,
  },
  {
    name: 'WebSocket subscriptions with 5,000 criteria each, 5 x 150',
    seconds: 15,
    bounded: 'bytes of criteria, of a client and of all',
    outcomes: OUTCOMES,
    refusal: /^-32005 /,
    run: subscribeToMuch,
  },
  {
    name: 'unfinished WebSocket messages of 31 MB, 25',
    seconds: 14,
    bounded: 'bytes of a message, and of unfinished messages of all',
    outcomes: OUTCOMES,
    run: unfinished,
  },
  {
    name: 'WebSocket pings without end, 8 connections',
    seconds: 8,
    bounded: 'pings of a connection, and the next connections of its client',
    outcomes: OUTCOMES,
    run: floodPings,
  },
  {
    name: 'WebSocket fragments of one byte, 8 connections',
    seconds: 8,
    bounded: 'small fragments of a connection, and the next connections of its client',
    outcomes: OUTCOMES,
    run: floodFragments,
  },
]

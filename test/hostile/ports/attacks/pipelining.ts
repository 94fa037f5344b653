/** Connections that send ahead, whatever has been answered: what is read of them at once, and what waits. */
import type { WebSocket } from 'ws'
import { type Assault, type Attack, isOver, pump, scaled, untilEnd } from '../attack.ts'
import { countMessages, endAll, openCounted } from '../sockets.ts'
import { batchText, rpcText } from '../wire.ts'

const OUTCOMES = /^(connected|not connected|ok|-32005 .*|closed (1006|1008 .*|1013 .*))$/
/** What a sender has on its way. */
const AHEAD_BYTES = 1_000_000
const ROUND_MS = 5

const HOLDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const balance = (id: number): string => rpcText('eth_getBalance', [HOLDER, 'latest'], id)
/** Just below 16 KiB. */
const BALANCES = batchText(115, balance)

const sendAhead = async (assault: Assault, count: number, text: string): Promise<void> => {
  const sockets: WebSocket[] = []
  await pump(assault, { count: scaled(assault, count), width: 50 }, async () => {
    const socket = await openCounted(assault)
    if (socket === undefined) return
    countMessages(socket, assault)
    sockets.push(socket)
    const timer = setInterval(() => {
      if (isOver(assault) || socket.readyState !== socket.OPEN) return clearInterval(timer)
      while (socket.bufferedAmount < AHEAD_BYTES) socket.send(text)
    }, ROUND_MS)
  })
  await untilEnd(assault)
  endAll(sockets)
}

export const PIPELINING_ATTACKS: readonly Attack[] = [
  {
    name: 'WebSockets that send batches of 16 KB ahead, 300',
    seconds: 12,
    bounded: 'messages of a connection that wait, bytes of all, and turns: single questions go first',
    outcomes: OUTCOMES,
    run: (assault) => sendAhead(assault, 300, BALANCES),
  },
  {
    name: 'WebSockets that send short questions ahead, 300',
    seconds: 12,
    bounded: 'messages of a connection that are read at once, and that wait',
    outcomes: OUTCOMES,
    run: (assault) => sendAhead(assault, 300, rpcText('eth_blockNumber', [], 1)),
  },
  {
    name: 'one WebSocket that sends short questions ahead',
    seconds: 8,
    bounded: 'messages of a connection that are read at once, and that wait',
    outcomes: OUTCOMES,
    run: (assault) => sendAhead(assault, 1, balance(1)),
  },
]

/** WebSockets of an attacker: opened without throwing, with what ends them counted. */
import { WebSocket } from 'ws'
import { type Assault, scaled } from './attack.ts'
import { batchText, firstError, rpcText } from './wire.ts'

export const openSocket = (url: string): Promise<WebSocket | undefined> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: 5_000 })
    socket.once('open', () => resolve(socket))
    socket.on('error', () => resolve(undefined))
  })

/** Opens one, counts what comes of it, and counts its close code and reason. */
export const openCounted = async ({ target, tally }: Assault): Promise<WebSocket | undefined> => {
  const socket = await openSocket(target.ws)
  tally.add(socket === undefined ? 'not connected' : 'connected')
  socket?.once('close', (code, reason) => tally.add(`closed ${code} ${reason.toString('utf8')}`.trim()))
  return socket
}

/** Notifications apart from replies, and these by their error. */
export const countMessages = (socket: WebSocket, { tally }: Assault): void => {
  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8')
    tally.add(text.includes('_subscription"') ? 'notification' : (firstError(text) ?? 'ok'))
  })
}

/** Ends them without telling the tally: it is our end of them. */
export const endAll = (sockets: readonly WebSocket[]): void => {
  for (const socket of sockets) {
    socket.removeAllListeners('close')
    socket.terminate()
  }
}

/** Sockets with `batches` x 100 subscriptions each, which stop reading when all were sent. */
export const openDeaf = async (
  assault: Assault,
  { count, batches, params }: { readonly count: number; readonly batches: number; readonly params: readonly unknown[] },
): Promise<readonly WebSocket[]> => {
  const sockets: WebSocket[] = []
  for (let opened = 0; opened < scaled(assault, count); opened++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    const text = batchText(100, (index) => rpcText('eth_subscribe', params, index))
    for (let sent = 0; sent < batches; sent++) socket.send(text)
    sockets.push(socket)
  }
  return sockets
}

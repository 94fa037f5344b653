/** Sends one message on a new WebSocket and waits for the reply, or for the end of the connection. */
import WebSocket from 'ws'
import type { Conversation } from './websocket-requests.ts'

/** A line that geth cuts is cut right behind the reply; a line that stays open answers the request that follows. */
const PROBE = '{"jsonrpc":"2.0","id":"probe","method":"eth_chainId"}'

export const converse = (url: string, sent: string): Promise<Conversation> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    let reply: string | null = null
    socket.on('open', () => socket.send(sent, () => socket.readyState === socket.OPEN && socket.send(PROBE)))
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (!text.includes('"probe"')) {
        reply ??= text
        return
      }
      // The two requests may be answered in any order.
      if (reply !== null) finish()
      else socket.once('message', finish)
    })
    const finish = (): void => {
      socket.off('close', cut)
      socket.close()
      resolve({ sent, reply, cut: false })
    }
    const cut = (): void => resolve({ sent, reply, cut: true })
    socket.on('close', cut)
    socket.on('error', (error) => {
      if (!/ECONNRESET|EPIPE/.test(error.message)) reject(error)
    })
  })

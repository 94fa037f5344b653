/** eth_subscribe over a WebSocket: what is sent, and in which order. */
import WebSocket from 'ws'
import type { Hex } from '../../../core/hex.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'
import { GWEI, hashOf } from './wallet.ts'

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly method?: string
  readonly params?: {
    readonly subscription: string
    readonly result: { readonly number?: Hex; readonly blockNumber?: Hex }
  }
}

const SUBSCRIPTIONS: readonly (readonly [name: string, params: (world: World) => readonly unknown[]])[] = [
  ['logs', ({ contract }) => ['logs', { address: contract }]],
  ['logs of a topic', () => ['logs', { topics: [`0x${'cc'.padStart(64, '0')}`] }]],
  ['hashes', () => ['newPendingTransactions']],
  ['transactions', () => ['newPendingTransactions', true]],
  ['heads', () => ['newHeads']],
]

const open = async (url: string): Promise<{ readonly socket: WebSocket; readonly messages: Message[] }> => {
  const socket = new WebSocket(url)
  const messages: Message[] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as Message))
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return { socket, messages }
}

export const subscriptions = async (peer: Peer, world: World): Promise<void> => {
  const { socket, messages } = await open(peer.wsUrl)
  const ask = async (method: string, ...params: readonly unknown[]): Promise<Message> => {
    const id = messages.length + 1_000
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const reply = await peer.until(method, async () => messages.find((message) => message.id === id))
    return { ...reply, id: 0 }
  }
  await peer.freshBlock()
  const names = new Map<string, string>()
  for (const [name, params] of SUBSCRIPTIONS) {
    const id = String((await ask('eth_subscribe', ...params(world))).result)
    peer.record(`subscription ${name}: its id`, id.replaceAll(/[0-9a-f]/g, '.').length <= 34)
    names.set(id, name)
  }
  const { erin, contract } = world
  const raw = erin.next({ to: contract, gas: 200_000n, data: '0x12', price: 30n * GWEI })
  await peer.mine(raw)
  const { number } = peer.head
  await peer.until('the notifications', async () => {
    const heads = messages.filter(({ params }) => params?.result.number !== undefined)
    return heads.some(({ params }) => Number(params?.result.number) > Number(number)) ? true : undefined
  })
  for (const [id, name] of names) {
    const own = messages.filter(({ params }) => params?.subscription === id)
    const shown = name === 'heads' ? own.filter(({ params }) => params?.result.number === number) : own
    peer.record(`subscription ${name}: what it sent`, shown)
  }
  const [first = ''] = names.keys()
  peer.record('unsubscribe', await ask('eth_unsubscribe', first))
  peer.record('unsubscribe twice', await ask('eth_unsubscribe', first))
  peer.record('subscribe to nothing', await ask('eth_subscribe', 'nope'))
  peer.record('subscribe without a kind', await ask('eth_subscribe'))
  peer.record('subscribe to logs of nothing', await ask('eth_subscribe', 'logs'))
  peer.record('subscribe to logs reversed', await ask('eth_subscribe', 'logs', { fromBlock: '0x5', toBlock: '0x1' }))
  peer.record('subscribe with too much', await ask('eth_subscribe', 'newHeads', 1))
  peer.record('a call over the socket', await ask('eth_getTransactionReceipt', hashOf(raw)))
  peer.record('a failed call over the socket', await ask('eth_call', { to: contract, data: '0x01' }, 'latest'))
  socket.terminate()
}

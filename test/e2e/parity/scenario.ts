/** Everything that is asked of a fresh chain, in order. */
import { accessLists } from './access-lists.ts'
import { awaited } from './awaited.ts'
import { calls } from './calls.ts'
import { edges } from './edges.ts'
import { filled } from './filled.ts'
import { malformed } from './malformed.ts'
import type { Peer } from './peer.ts'
import { pool } from './pool.ts'
import { simulations } from './simulations.ts'
import { subscriptions } from './subscriptions.ts'
import { traces } from './traces.ts'
import { createWorld, transactions } from './transactions.ts'

/** Members of one batch, of every kind. */
const batch = async (peer: Peer): Promise<void> => {
  const calls = [
    { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' },
    { jsonrpc: '2.0', method: 'eth_chainId' },
    { jsonrpc: '2.0', id: 2.5, method: 'eth_call', params: [{ data: '0x60006000fd' }, 'latest'] },
    { jsonrpc: '2.0', id: null, method: 'eth_nope', params: [] },
    { jsonrpc: '1.0', id: 3, method: 'eth_chainId' },
    { jsonrpc: '2.0', id: 4, method: 'eth_getBalance', params: ['0x1', 'latest'] },
    { jsonrpc: '2.0', id: 5, method: 'eth_subscribe', params: ['newHeads'] },
    { jsonrpc: '2.0', id: 6, method: 'eth_sendRawTransaction', params: ['0xc0'] },
    { jsonrpc: '2.0', id: 7, method: 'eth_estimateGas', params: [{ data: '0xfe' }] },
    5,
    [],
    {},
  ]
  peer.record('a batch of everything', await peer.post(JSON.stringify(calls)))
}

export const scenario = async (peer: Peer): Promise<void> => {
  const world = createWorld()
  await calls(peer)
  await simulations(peer)
  await transactions(peer, world)
  await edges(peer, world)
  await malformed(peer)
  await pool(peer, world)
  await subscriptions(peer, world)
  await accessLists(peer, world)
  await filled(peer, world)
  await awaited(peer, world)
  await traces(peer, world)
  await batch(peer)
}

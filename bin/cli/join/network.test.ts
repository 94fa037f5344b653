/** What a consensus RPC answers to a node that joins, and what of it is believed. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchNetwork } from './network.ts'
import { fetchTrust } from './trust.ts'

const ID = '0123456789abcdef0123456789abcdef01234567'
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

interface Peer {
  readonly node_info: { readonly id: string; readonly listen_addr: string }
  readonly remote_ip: string
}

const STATUS = {
  node_info: { id: ID, network: 'localnat-1', version: '0.40.0', listen_addr: 'tcp://0.0.0.0:26656' },
  sync_info: {
    latest_block_height: '7',
    latest_block_time: '2026-01-01T00:00:00Z',
    catching_up: false,
    earliest_block_height: '1',
  },
  validator_info: { address: '00', voting_power: '1' },
}

type Answers = Readonly<Record<string, unknown>>

const serve = async (answers: Answers, raw?: (path: string, response: ServerResponse) => boolean): Promise<string> => {
  const all: Answers = { '/status': STATUS, '/genesis': { genesis: {} }, '/net_info': { n_peers: '0' }, ...answers }
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (raw?.(path, response) === true) return
    response.end(JSON.stringify({ jsonrpc: '2.0', id: -1, result: all[path] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const peer = (listen_addr: string, remote_ip: string, id = ID): Peer => ({ node_info: { id, listen_addr }, remote_ip })

describe('the network of a node that is asked', () => {
  it('has its own address and those of its peers', async () => {
    const peers = [
      peer('tcp://0.0.0.0:26656', '192.0.2.1'),
      peer('tcp://example.net:1', '192.0.2.2'),
      peer('tcp://[::]:5', '2001:db8::1'),
    ]
    const { peer: own, others, chainId } = await fetchNetwork(await serve({ '/net_info': { n_peers: '3', peers } }))
    expect(chainId).toBe('localnat-1')
    expect(own).toBe(`${ID}@127.0.0.1:26656`)
    expect(others).toEqual([`${ID}@192.0.2.1:26656`, `${ID}@example.net:1`, `${ID}@[2001:db8::1]:5`])
  })

  it('has no peers that CometBFT would not begin with, or that bring others with them', async () => {
    const peers = [
      peer('tcp://0.0.0.0:26656', `192.0.2.1:1,${ID}@evil.example`),
      peer('tcp://0.0.0.0:26656', 'a b'),
      peer('tcp://0.0.0.0:26656', ''),
      peer('tcp://0.0.0.0:26656', '\u001b[2J"\n'),
      peer('tcp://0.0.0.0:0', '192.0.2.3'),
      peer('tcp://0.0.0.0:26656', '192.0.2.9'),
    ]
    const { others } = await fetchNetwork(await serve({ '/net_info': { n_peers: '5', peers } }))
    expect(others).toEqual([`${ID}@192.0.2.9:26656`])
  })

  it.each<readonly [string, Answers, RegExp]>([
    ['no status', { '/status': 7 }, /does not answer as the consensus RPC of a node/],
    [
      'an id that is none',
      { '/status': { ...STATUS, node_info: { ...STATUS.node_info, id: 'x' } } },
      /does not answer/,
    ],
    [
      'more parts of a genesis than it says to have',
      { '/genesis': null, '/genesis_chunked': { total: '1001', data: 'e30=' } },
      /genesis file of more than/,
    ],
    [
      'parts that are no JSON',
      { '/genesis': null, '/genesis_chunked': { total: '1', data: 'AAAA' } },
      /does not answer/,
    ],
  ])('is refused with %s', async (_, answers, message) => {
    await expect(fetchNetwork(await serve(answers))).rejects.toThrow(message)
  })

  it('is refused where it is elsewhere, or the connection ends', async () => {
    const redirect = await serve(
      {},
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end() && true,
    )
    await expect(fetchNetwork(redirect)).rejects.toThrow(/redirects to another host/)
    const cut = await serve(
      {},
      (_, response) => response.writeHead(200, { 'content-length': '9' }).write('{') && response.destroy() && true,
    )
    await expect(fetchNetwork(cut)).rejects.toThrow(/cannot be read/)
  })
})

describe('the block that two nodes are to agree on', () => {
  it('is refused with the name of the node that does not say which blocks it has', async () => {
    const { earliest_block_height: _, ...rest } = STATUS.sync_info
    const url = await serve({ '/status': { ...STATUS, sync_info: rest } })
    await expect(fetchTrust([url, url], 'localnat-1', 0)).rejects.toMatchObject({
      ...{ codespace: 'cli', code: 10 },
      message: expect.stringContaining(`${url} does not say which blocks it has`) as string,
    })
  })
})

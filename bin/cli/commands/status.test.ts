import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { readStatus } from './status.ts'

const servers: Server[] = []

const serve = async (answers: Readonly<Record<string, unknown>>): Promise<number> => {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    response.statusCode = answer === undefined ? 404 : 200
    response.end(JSON.stringify(answer ?? {}))
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
})

/** The answers of CometBFT v0.40.0. */
const cometAnswers = (height: string, applicationHeight: string, catchingUp = false) => ({
  '/status': {
    result: {
      node_info: { id: 'a'.repeat(40), network: 'localnat-1', version: '0.39.0' },
      sync_info: { latest_block_height: height, catching_up: catchingUp, latest_block_time: '2026-01-02T03:04:05Z' },
      validator_info: { address: 'A'.repeat(40), voting_power: '1' },
    },
  },
  '/net_info': { result: { n_peers: '2' } },
  '/abci_info': { result: { response: { data: 'nat-chain', last_block_height: applicationHeight } } },
})

describe('the status of a node', () => {
  it('without JSON-RPC takes the EVM height from what the application tells CometBFT', async () => {
    const rpc = `tcp://127.0.0.1:${await serve(cometAnswers('12', '12'))}`
    expect(await readStatus({ rpc, ports: {} })).toMatchObject({
      healthy: true,
      nativeHeight: 12,
      evmHeight: 12,
      peers: 2,
    })
  })

  it('with JSON-RPC asks for the block number', async () => {
    const rpc = `tcp://127.0.0.1:${await serve(cometAnswers('12', '12'))}`
    const address = { host: '127.0.0.1', port: await serve({ '/': { result: '0xb' } }) }
    const { healthy, problem } = await readStatus({ rpc, jsonRpc: { address }, ports: {} })
    expect({ healthy, problem }).toEqual({ healthy: false, problem: 'heights differ: native 12, EVM 11' })
  })

  it('is not healthy while it catches up, and when it does not answer', async () => {
    const rpc = `tcp://127.0.0.1:${await serve(cometAnswers('12', '12', true))}`
    expect(await readStatus({ rpc, ports: {} })).toMatchObject({
      healthy: false,
      problem: 'catching up with the network',
    })
    const dead = `tcp://127.0.0.1:${await serve({})}`
    expect((await readStatus({ rpc: dead, ports: {} })).problem).toContain('answered HTTP 404')
  })
})

/** The relayer beside a node that lies: it names a contract that takes every set, and never follows one. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createRelayer } from '../../examples/bridge-release.ts'

const CONTRACT = `0x${'c0'.repeat(20)}`
const KEY = `0x${'11'.repeat(32)}` as const
const HASH = `0x${'ab'.repeat(32)}`
const SET = {
  set: { nonce: '2', members: [{ address: CONTRACT, power: '1' }], threshold: '0' },
  signatures: [],
  signed: true,
}

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const serve = async (answer: (path: string, body: string) => unknown): Promise<string> => {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => response.end(JSON.stringify(answer(request.url ?? '', body))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A node that names the contract. */
const node = (): Promise<string> =>
  serve((path) => (path.endsWith('/params') ? { params: { contract: CONTRACT } } : SET))

/** An external chain on which every call succeeds, and says that the set has the nonce 1. */
const external = async (): Promise<{ readonly url: string; readonly sent: string[] }> => {
  const sent: string[] = []
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x1',
    eth_getTransactionCount: '0x0',
    eth_estimateGas: '0x5208',
    eth_gasPrice: '0x1',
    eth_maxPriorityFeePerGas: '0x1',
    eth_getBlockByNumber: { number: '0x1', baseFeePerGas: '0x1', transactions: [], hash: HASH, timestamp: '0x1' },
    eth_blockNumber: '0x1',
    eth_call: `0x${'00'.repeat(31)}01`,
    eth_getTransactionReceipt: { transactionHash: HASH, status: '0x1', blockNumber: '0x1', logs: [] },
  }
  const url = await serve((_, body) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [string] }
    if (method === 'eth_sendRawTransaction') sent.push(params[0])
    return { jsonrpc: '2.0', id, result: method === 'eth_sendRawTransaction' ? HASH : results[method] }
  })
  return { url, sent }
}

describe('a relayer', () => {
  it('pays for one set and no more where the contract follows none', async () => {
    const { url, sent } = await external()
    const relayer = await createRelayer({ restUrl: await node(), ethRpcUrl: url, privateKey: KEY })
    await expect(relayer.updateSets()).rejects.toThrow('took set 2, and is at set 1')
    expect(sent).toHaveLength(1)
  })

  it('calls no other contract than the one that it was told', async () => {
    const [restUrl, { url }] = [await node(), await external()]
    const release = { restUrl, ethRpcUrl: url, privateKey: KEY }
    const other = `0x${'C1'.repeat(20)}`
    await expect(createRelayer({ ...release, contract: other })).rejects.toThrow(`${CONTRACT}, and not ${other}`)
    await createRelayer({ ...release, contract: CONTRACT.toUpperCase().replace('X', 'x') })
  })
})

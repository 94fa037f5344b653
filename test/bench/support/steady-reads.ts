/** A process of its own that reads from the devnet as a page of an explorer does, until it is ended: ten times a second. */
import { setTimeout as pause } from 'node:timers/promises'
import { RPC } from './devnet.ts'

const PAUSE_MS = 100
const LOGS_BLOCKS = 50

const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await fetch(RPC, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await answer.json()) as { result: unknown }).result
}

for (;;) {
  const head = Number(await ask('eth_blockNumber', []))
  const from = `0x${Math.max(head - LOGS_BLOCKS, 1).toString(16)}`
  await Promise.all([
    ask('eth_getBlockByNumber', ['latest', true]),
    ask('eth_getBlockReceipts', ['latest']),
    ask('eth_getLogs', [{ fromBlock: from, toBlock: 'latest' }]),
    ask('eth_feeHistory', ['0x400', 'latest', [10, 50, 90]]),
    ask('debug_traceBlockByNumber', ['latest', { tracer: 'callTracer' }]),
  ])
  await pause(PAUSE_MS)
}

/** Hands the pool's transactions to CometBFT for gossip: in the background, in batches, within a bound, never answered for. */
import type { Gossip } from '../../../app/environment.ts'
import { viewBuffer } from '../../../core/bytes.ts'
import { errorText } from '../../errors.ts'
import type { NodeLog } from './log.ts'

/** One HTTP request: `broadcast_tx_async` in batches of 100 is taken at 20,000 transactions a second. */
const BATCH_TRANSACTIONS = 100
/** What does not fit is dropped: the application offers it again. */
const MAX_WAITING = 20_000
const REQUEST_TIMEOUT_MS = 10_000

export interface CometGossip extends Gossip {
  close(): Promise<void>
}

export const createGossip = (url: string, log: NodeLog): CometGossip => {
  const waiting: Uint8Array[] = []
  const closing = new AbortController()
  let running: Promise<void> | undefined

  const send = async (transactions: readonly Uint8Array[]): Promise<void> => {
    const body = transactions.map((transaction, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'broadcast_tx_async',
      params: { tx: viewBuffer(transaction).toString('base64') },
    }))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
    await response.arrayBuffer()
    if (!response.ok) log.warn('CometBFT did not take transactions for gossip', { status: response.status })
  }
  const drain = async (): Promise<void> => {
    while (waiting.length > 0 && !closing.signal.aborted) {
      try {
        await send(waiting.splice(0, BATCH_TRANSACTIONS))
      } catch (error) {
        // CometBFT is down or restarting: all that waits will be offered again.
        waiting.length = 0
        if (!closing.signal.aborted) log.warn('CometBFT is not reachable for gossip', { reason: errorText(error) })
      }
    }
    running = undefined
  }
  return {
    offer: (transactions) => {
      waiting.push(...transactions.slice(0, MAX_WAITING - waiting.length))
      running ??= drain()
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

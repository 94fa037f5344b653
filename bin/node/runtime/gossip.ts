/**
 * Hands transactions to CometBFT for gossip: in the background, in batches, within a bound, never answered for. Orders have a lane
 * of their own that goes first: behind a flood of transfers they would come too late for the votes.
 */
import type { Gossip } from '../../../app/environment.ts'
import { viewBuffer } from '../../../core/bytes.ts'
import { CLOB_TX_BYTE } from '../../../modules/clob/index.ts'
import { errorText } from '../../errors.ts'
import type { NodeLog } from './log.ts'

/** One HTTP request: `broadcast_tx_async` in batches of 100 is taken at 20,000 transactions a second. */
const BATCH_TRANSACTIONS = 100
/** The most transactions that wait in each lane. What does not fit is dropped: the application offers it again. */
const MAX_WAITING = 20_000
/** A CometBFT that asks again of a full mempool on a busy machine takes its time; one that hangs is ended before this. */
const REQUEST_TIMEOUT_MS = 30_000

export interface CometGossip extends Gossip {
  close(): Promise<void>
}

export const createGossip = (url: string, log: NodeLog, timeoutMs = REQUEST_TIMEOUT_MS): CometGossip => {
  const orders: Uint8Array[] = []
  const others: Uint8Array[] = []
  const closing = new AbortController()
  let running: Promise<void> | undefined
  let losses = 0

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
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.arrayBuffer()
    if (!response.ok) log.warn('CometBFT did not take transactions for gossip', { status: response.status })
  }
  /** The next batch of the lane that has something; none at the end. */
  const next = (): readonly Uint8Array[] => (orders.length > 0 ? orders : others).splice(0, BATCH_TRANSACTIONS)
  const drain = async (): Promise<void> => {
    for (let batch = next(); batch.length > 0 && !closing.signal.aborted; batch = next()) {
      try {
        await send(batch)
      } catch (error) {
        losses++
        // One that is only slow takes what waits. Down or restarting it takes nothing, and will be offered all again.
        const isSlow = error instanceof Error && error.name === 'TimeoutError'
        if (!isSlow) {
          orders.length = 0
          others.length = 0
        }
        if (!closing.signal.aborted) log.warn('CometBFT is not reachable for gossip', { reason: errorText(error) })
      }
    }
    running = undefined
  }
  return {
    offer: (transactions) => {
      for (const transaction of transactions) {
        const lane = transaction[0] === CLOB_TX_BYTE ? orders : others
        if (lane.length < MAX_WAITING) lane.push(transaction)
      }
      running ??= drain()
    },
    get losses() {
      return losses
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

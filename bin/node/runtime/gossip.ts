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

/** CometBFT refuses so what it has had: that is no loss. */
const KNOWN = 'tx already exists in cache'

interface Reply {
  readonly error?: { readonly data?: unknown }
}

/** Whether CometBFT did not take a transaction that it had not had before: its mempool is full, for one. */
const hasRefused = (text: string): boolean => {
  if (!text.includes('"error"')) return false
  const replies: unknown = JSON.parse(text)
  // A single refusal is of the whole batch.
  if (!Array.isArray(replies)) return true
  return replies.some(({ error }: Reply) => error !== undefined && error.data !== KNOWN)
}

export interface CometGossip extends Gossip {
  close(): Promise<void>
}

interface Batch {
  readonly transactions: readonly Uint8Array[]
  readonly isOrders: boolean
}

export const createGossip = (url: string, log: NodeLog, timeoutMs = REQUEST_TIMEOUT_MS): CometGossip => {
  const orders: Uint8Array[] = []
  const others: Uint8Array[] = []
  const closing = new AbortController()
  let running: Promise<void> | undefined
  let losses = 0

  const send = async ({ transactions, isOrders }: Batch): Promise<void> => {
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
    const text = await response.text()
    if (!response.ok) log.warn('CometBFT did not take transactions for gossip', { status: response.status })
    if (isOrders && (!response.ok || hasRefused(text))) losses++
  }
  /** The next batch of the lane that has something; an empty one at the end. */
  const next = (): Batch => {
    const isOrders = orders.length > 0
    return { transactions: (isOrders ? orders : others).splice(0, BATCH_TRANSACTIONS), isOrders }
  }
  const drain = async (): Promise<void> => {
    for (let batch = next(); batch.transactions.length > 0 && !closing.signal.aborted; batch = next()) {
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
        else if (lane === orders) losses++
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

/** A steady load of signed transfers, and a record of which the node has answered. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hash, keccak256, parseGwei, type PrivateKeyAccount } from 'viem'
import { invariant } from '../../core/errors.ts'
import { callJsonRpc, EVM_CHAIN_ID, type TestNode, until } from './harness.ts'

const RECEIVER = '0x00000000000000000000000000000000000e2e00'
/** The time between two attempts while the node does not answer. */
const RETRY_MS = 25
const BATCH = 200

export interface Load {
  /** Hashes that eth_sendRawTransaction has answered. */
  readonly answered: ReadonlySet<Hash>
  /** Refusals that no restart explains. */
  readonly refusals: readonly string[]
  stop(): Promise<void>
}

/** One transfer every `everyMs` from each account, in the order of their nonces; repeats what was not answered. */
export const startLoad = async (
  node: TestNode,
  senders: readonly PrivateKeyAccount[],
  everyMs: number,
): Promise<Load> => {
  const answered = new Set<Hash>()
  const refusals: string[] = []
  const stopping = new AbortController()

  const deliver = async (raw: Hash): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const { result, error } = await callJsonRpc(node.urls.http, 'eth_sendRawTransaction', raw)
        if (error === undefined) {
          invariant(result === keccak256(raw), 'the answer is the hash of the transaction')
          answered.add(result as Hash)
          return
        }
        // The answer to an earlier attempt was lost with the process that gave it.
        if (/already known|nonce too low/.test(error.message)) return
        if (!/unavailable|not connected|closed/i.test(error.message)) {
          refusals.push(error.message)
          return
        }
      } catch (error) {
        // Nobody listens, or the connection broke: the node is being started again.
        if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
      }
      await sleep(RETRY_MS)
    }
  }
  const send = async (account: PrivateKeyAccount): Promise<void> => {
    const first = await node.ask<string>('eth_getTransactionCount', account.address, 'pending')
    for (let nonce = Number(first); !stopping.signal.aborted; nonce++) {
      const raw = await account.signTransaction({
        chainId: EVM_CHAIN_ID,
        nonce,
        to: RECEIVER,
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: parseGwei('20'),
        maxPriorityFeePerGas: parseGwei('1'),
      })
      await deliver(raw)
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const ended = Promise.all(senders.map(send))
  return {
    answered,
    refusals,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

/** Waits until each hash has a receipt, and returns those that have none in time. */
export const withoutReceipt = async (node: TestNode, hashes: Iterable<Hash>): Promise<readonly Hash[]> => {
  let missing = [...hashes]
  const round = async (): Promise<true | undefined> => {
    const left: Hash[] = []
    for (let from = 0; from < missing.length; from += BATCH) {
      const part = missing.slice(from, from + BATCH)
      const body = part.map((hash, id) => ({ jsonrpc: '2.0', id, method: 'eth_getTransactionReceipt', params: [hash] }))
      const response = await fetch(node.urls.http, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const replies = (await response.json()) as { id: number; result?: unknown }[]
      const found = new Set(replies.filter(({ result }) => result !== null && result !== undefined).map(({ id }) => id))
      left.push(...part.filter((_, id) => !found.has(id)))
    }
    missing = left
    return missing.length === 0 ? true : undefined
  }
  await until('all receipts', round).catch(() => undefined)
  return missing
}

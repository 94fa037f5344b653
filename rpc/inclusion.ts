/** Requests that wait until a transaction is in a block. A head wakes them: nothing is polled. */
import type { Head, QuestionName, Questions } from '../app/ports.ts'
import type { Hex } from '../core/hex.ts'
import { rpcError } from './errors.ts'
import type { HeadTracker } from './head.ts'
import type { GatewayLog } from './log.ts'

/** So many requests wait at most in one gateway, and so many of one client of it. */
export const MAX_WAITING = 1_000
export const MAX_WAITING_OF_CLIENT = 200

type OnGone = (listener: () => void) => () => void

export interface InclusionPlace extends Disposable {
  /** Resolves to the text of the receipt, or to undefined when there was none for so long, or its client has gone. */
  receiptOf(hash: Hex, timeoutMs: number, onGone: OnGone): Promise<string | undefined>
}

export interface InclusionWatch {
  /**
   * Reserves a place, which the caller disposes of. Throws rpc/rateLimited when too many wait, or too many of the
   * client.
   */
  reserve(client: string): InclusionPlace
  /** All that wait are told that their time is over. */
  close(): void
}

export interface InclusionOptions {
  readonly head: HeadTracker
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): string | Promise<string>
  readonly log: GatewayLog
}

interface Waiter {
  readonly hash: Hex
  settle(receipt: string | undefined): void
}

export const createInclusionWatch = ({ head: tracker, ask, log }: InclusionOptions): InclusionWatch => {
  const waiters = new Set<Waiter>()
  let reserved = 0
  const reservedBy = new Map<string, number>()
  /** Up to here every block was looked through, once for all that wait; behind a gap each is asked for. */
  let seenHeight = -1

  const look = async (waiter: Waiter): Promise<void> => {
    const receipt = await ask('receipt', { hash: waiter.hash })
    if (receipt !== 'null') waiter.settle(receipt)
  }

  const waitersIn = async ({ hash }: Head): Promise<readonly Waiter[]> => {
    const block = JSON.parse(await ask('block', { block: { hash }, full: false })) as { transactions?: Hex[] } | null
    const hashes = new Set(block?.transactions)
    return [...waiters].filter((waiter) => hashes.has(waiter.hash))
  }

  const lookThrough = async (head: Head): Promise<void> => {
    const isNext = head.height === seenHeight + 1
    seenHeight = head.height
    try {
      for (const waiter of isNext ? await waitersIn(head) : [...waiters]) await look(waiter)
    } catch (error) {
      // The next head makes up for it.
      seenHeight = -1
      log.warn('receipts were not looked for', { height: head.height, error: String(error) })
    }
  }

  const stop = tracker.subscribe((announcement) => {
    if (announcement.type !== 'head') return
    if (waiters.size === 0) seenHeight = announcement.head.height
    else void lookThrough(announcement.head)
  })

  const receiptOf = async (hash: Hex, timeoutMs: number, onGone: OnGone): Promise<string | undefined> => {
    const waiting = Promise.withResolvers<string | undefined>()
    const waiter: Waiter = { hash, settle: waiting.resolve }
    waiters.add(waiter)
    const stopListening = onGone(() => waiter.settle(undefined))
    let timer: NodeJS.Timeout | undefined
    try {
      // It may be in a block already.
      await look(waiter)
      timer = setTimeout(() => waiter.settle(undefined), Math.max(0, timeoutMs))
      return await waiting.promise
    } finally {
      clearTimeout(timer)
      stopListening()
      waiters.delete(waiter)
    }
  }

  const release = (client: string): void => {
    reserved--
    const left = (reservedBy.get(client) ?? 0) - 1
    if (left > 0) reservedBy.set(client, left)
    else reservedBy.delete(client)
  }

  return {
    reserve(client) {
      const own = reservedBy.get(client) ?? 0
      if (reserved >= MAX_WAITING || own >= MAX_WAITING_OF_CLIENT) {
        throw rpcError('rateLimited', 'too many requests wait for transactions')
      }
      reserved++
      reservedBy.set(client, own + 1)
      return { receiptOf, [Symbol.dispose]: () => release(client) }
    },
    close() {
      stop()
      for (const waiter of waiters) waiter.settle(undefined)
    },
  }
}

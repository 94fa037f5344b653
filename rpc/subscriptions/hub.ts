/**
 * The subscriptions of all connections of a gateway. Each block's logs and receipts are asked for once, however many
 * subscriptions want them, and only while some do.
 */
import type { Announcement, Head, Questions, QuestionName } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import type { HeadTracker } from '../head.ts'
import type { GatewayLog } from '../log.ts'
import { matchLogs, type LogView } from './match-logs.ts'
import type { SubscriptionKind } from './subscription.ts'

export interface HubSubscription {
  readonly kind: SubscriptionKind
  /** Sends the text of a result. */
  notify(result: string): void
}

export interface SubscriptionHub {
  /** Returns how to end it. */
  add(subscription: HubSubscription): () => void
  close(): void
}

export interface HubOptions {
  readonly head: HeadTracker
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): string | Promise<string>
  readonly log: GatewayLog
}

type KindName = SubscriptionKind['type']
type Of<Name extends KindName> = HubSubscription & { readonly kind: Extract<SubscriptionKind, { type: Name }> }

/** Announcements that wait for the logs of the ones before them; more means that the application does not answer. */
const MAX_WAITING = 1_000
/** Pending transactions of one announcement that are asked for together. */
const TRANSACTIONS_AT_ONCE = 64

export const createSubscriptionHub = (options: HubOptions): SubscriptionHub => {
  const { ask, log } = options
  const subscriptions = new Set<HubSubscription>()
  let catchingUp = options.head.isAvailable() && options.head.current().head.catchingUp
  let queue = Promise.resolve()
  let waiting = 0

  const listOf = <Name extends KindName>(type: Name): Of<Name>[] =>
    [...subscriptions].filter((subscription): subscription is Of<Name> => subscription.kind.type === type)

  const sendLogs = async (head: Head, wanting: readonly Of<'logs'>[]): Promise<void> => {
    const logs = JSON.parse(await ask('logs', { blockHash: head.hash, addresses: [], topics: [] })) as LogView[]
    for (const subscription of wanting) {
      for (const match of matchLogs(logs, subscription.kind.criteria, head.height)) {
        if (subscriptions.has(subscription)) subscription.notify(JSON.stringify(match))
      }
    }
  }

  const sendReceipts = async (head: Head, wanting: readonly Of<'transactionReceipts'>[]): Promise<void> => {
    const text = await ask('blockReceipts', { block: { hash: head.hash } })
    const receipts = (JSON.parse(text) ?? []) as { readonly transactionHash: Hex }[]
    for (const subscription of wanting) {
      const { hashes } = subscription.kind
      const wanted =
        hashes.size === 0 ? receipts : receipts.filter(({ transactionHash }) => hashes.has(transactionHash))
      if (wanted.length > 0 && subscriptions.has(subscription)) subscription.notify(JSON.stringify(wanted))
    }
  }

  const sendTransactions = async (hashes: readonly Hex[], wanting: readonly HubSubscription[]): Promise<void> => {
    for (let done = 0; done < hashes.length; done += TRANSACTIONS_AT_ONCE) {
      const window = hashes.slice(done, done + TRANSACTIONS_AT_ONCE)
      for (const transaction of await Promise.all(window.map(async (hash) => ask('pendingTransaction', { hash })))) {
        // It may have been included or replaced in the meantime.
        if (transaction === 'null') continue
        for (const subscription of wanting) if (subscriptions.has(subscription)) subscription.notify(transaction)
      }
    }
  }

  const sendSyncing = async (isSyncing: boolean, wanting: readonly HubSubscription[]): Promise<void> => {
    const result = isSyncing ? `{"syncing":true,"status":${await ask('syncing', {})}}` : 'false'
    for (const subscription of wanting) if (subscriptions.has(subscription)) subscription.notify(result)
  }

  /** One after another, so that the logs of a block never come before those of its parent. */
  const enqueue = (wanting: readonly HubSubscription[], what: string, send: () => Promise<void>): void => {
    if (wanting.length === 0) return
    if (waiting >= MAX_WAITING) {
      log.warn('notifications were left out: the application does not answer', { what })
      return
    }
    waiting++
    queue = queue.then(async () => {
      try {
        await send()
      } catch (error) {
        log.warn('notifications were left out', { what, error: String(error) })
      }
      waiting--
    })
  }

  const onHead = (head: Head): void => {
    for (const subscription of listOf('newHeads')) subscription.notify(head.header)
    const logs = head.logCount > 0 ? listOf('logs') : []
    enqueue(logs, `logs of block ${head.height}`, () => sendLogs(head, logs))
    const receipts = listOf('transactionReceipts')
    enqueue(receipts, `receipts of block ${head.height}`, () => sendReceipts(head, receipts))
    if (head.catchingUp === catchingUp) return
    catchingUp = head.catchingUp
    const syncing = listOf('syncing')
    enqueue(syncing, 'syncing', () => sendSyncing(head.catchingUp, syncing))
  }

  const onPending = (hashes: readonly Hex[]): void => {
    const all = listOf('newPendingTransactions')
    for (const subscription of all) {
      if (!subscription.kind.full) for (const hash of hashes) subscription.notify(`"${hash}"`)
    }
    const full = all.filter(({ kind }) => kind.full)
    enqueue(full, 'pending transactions', () => sendTransactions(hashes, full))
  }

  const stop = options.head.subscribe((announcement: Announcement) => {
    if (subscriptions.size === 0) {
      if (announcement.type === 'head') catchingUp = announcement.head.catchingUp
      return
    }
    if (announcement.type === 'head') onHead(announcement.head)
    else onPending(announcement.hashes)
  })

  return {
    add(subscription) {
      subscriptions.add(subscription)
      return () => subscriptions.delete(subscription)
    },
    close() {
      stop()
      subscriptions.clear()
    },
  }
}

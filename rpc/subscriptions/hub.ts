/**
 * The subscriptions of all connections of a gateway. Each block's logs and receipts are asked for once, however many
 * subscriptions want them, and only while some do.
 */
import type { Head, LogCriteria, LogCursor, Questions, QuestionName } from '../../app/ports.ts'
import { errorText } from '../../core/errors.ts'
import type { Hex } from '../../core/hex.ts'
import type { Text } from '../../core/text.ts'
import { isRpcError, rpcError } from '../errors.ts'
import type { HeadNews, HeadTracker } from '../head.ts'
import type { GatewayLog } from '../log.ts'
import { BlockReceipts } from './block-receipts.ts'
import { createLine, type Line } from './line.ts'
import { LogIndex } from './log-index.ts'
import { isInRange, type LogView } from './match-logs.ts'
import { type Notification, toNotification } from './notification.ts'
import { Owners, subscriptionBytes } from './owners.ts'
import { type Rank, RANKS, Roster } from './roster.ts'
import type { SubscriptionKind } from './subscription.ts'
import { Turn } from './turn.ts'

export interface HubSubscription {
  /** The client as {@link clientOf} of limits.ts names it. */
  readonly client: string
  /** The name of the connection that it is of. */
  readonly connection: string
  readonly kind: SubscriptionKind
  /** Sends the text of a result. */
  notify(result: Notification): void
  /** Ends it where not everything can be told: whoever misses nothing of a stream must hear that it did. */
  fail(reason: string): void
}

export interface SubscriptionHub {
  /** Returns how to end it. Throws rpc/rateLimited when its client has too many. */
  add(subscription: HubSubscription): () => void
  close(): void
}

export interface HubOptions {
  readonly head: HeadTracker
  askText<Name extends QuestionName>(name: Name, parameters: Questions[Name]): Text | Promise<Text>
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): string | Promise<string>
  readonly log: GatewayLog
}

type KindName = SubscriptionKind['type']
type Of<Name extends KindName> = HubSubscription & { readonly kind: Extract<SubscriptionKind, { type: Name }> }

/** A line for each rank. */
const createLines = (): Readonly<Record<Rank, Line>> => ({
  first: createLine(MAX_WAITING),
  more: createLine(MAX_WAITING),
})

interface Transactions {
  readonly transactions: readonly Hex[]
}

interface LogPage {
  readonly next: LogCursor | null
  readonly logs: readonly LogView[]
}

/** What all of them look for; empty, which is every address, when one of them looks for all or they are too many. */
const unionOfAddresses = (criteria: readonly LogCriteria[]): readonly Hex[] => {
  if (criteria.some(({ addresses }) => addresses.length === 0)) return []
  const union = new Set<Hex>()
  for (const { addresses } of criteria) {
    for (const address of addresses) union.add(address)
    if (union.size > MAX_UNION) return []
  }
  return [...union]
}

/** Addresses that a block is searched for on behalf of all subscriptions. */
const MAX_UNION = 1_000
/** What a block without receipts has of them, or one that is not there. */
const NO_RECEIPTS = 'null'
/** Announcements that wait for what those before them tell; more means that the application does not answer, or says too much. */
const MAX_WAITING = 1_000
/** Pending transactions of one announcement that are asked for together. */
const TRANSACTIONS_AT_ONCE = 64

/** What they look for takes memory of the gateway: of all clients and of one, as of polling filters. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_CLIENT_BYTES = 4 * 1024 * 1024
/**
 * Logs of a block that are held against subscriptions of a client in vain. What happens seldom is found at once, so that only
 * subscriptions to what happens often, and never together, come to it.
 */
const MAX_MISSES = 1_000_000

const isAboutBlocks = ({ kind }: HubSubscription): boolean =>
  kind.type === 'newHeads' || kind.type === 'logs' || kind.type === 'transactionReceipts'

export const createSubscriptionHub = (options: HubOptions): SubscriptionHub => {
  const { ask, askText, log } = options
  const subscriptions = new Roster<HubSubscription>()
  const owners = new Owners<HubSubscription>({ bytes: MAX_BYTES, bytesOfClient: MAX_CLIENT_BYTES })
  let catchingUp = options.head.isAvailable() && options.head.current().head.catchingUp
  /** Each kind in a line of its own: the logs of a block never come before those of its parent, and keep nothing else waiting. */
  const heads = createLines()
  const hashes = createLines()
  const transactions = createLines()
  const logsOfBlocks = createLines()
  const receiptsOfBlocks = createLines()
  const syncingStates = createLines()

  const listOf = <Name extends KindName>(type: Name, rank: Rank): Of<Name>[] =>
    [...subscriptions.of(rank)].filter((subscription): subscription is Of<Name> => subscription.kind.type === type)

  const remove = (subscription: HubSubscription): boolean => {
    owners.remove(subscription.client, subscription)
    return subscriptions.delete(subscription)
  }

  /** Page by page: a block may have more logs than one answer, or the memory of a gateway, holds. */
  const sendLogs = async ({ height }: Head, subscribed: readonly Of<'logs'>[]): Promise<void> => {
    const wanting = subscribed.filter(({ kind }) => isInRange(kind.criteria, height))
    const criteria = { addresses: unionOfAddresses(wanting.map(({ kind }) => kind.criteria)), topics: [] }
    const misses = new Map<string, number>()
    const turn = new Turn()
    let from: LogCursor | null = { height, log: 0 }
    while (from !== null && wanting.some((subscription) => subscriptions.has(subscription))) {
      const page: LogPage = JSON.parse(await ask('logsPage', { criteria, from, to: height })) as LogPage
      await turn.next()
      const index = new LogIndex(page.logs)
      const texts: Notification[] = []
      for (const subscription of wanting) {
        if (turn.isOver) await turn.next()
        if (!subscriptions.has(subscription)) continue
        const { client, kind } = subscription
        for (const place of index.candidates(kind.criteria)) {
          if (turn.isOver) await turn.next()
          if (!subscriptions.has(subscription)) break
          const log = page.logs[place]
          if (log === undefined) continue
          if (kind.matches(log)) {
            turn.notify(subscription, (texts[place] ??= toNotification(JSON.stringify(log))))
            continue
          }
          const missed = (misses.get(client) ?? 0) + 1
          misses.set(client, missed)
          if (missed < MAX_MISSES) continue
          const greedy = wanting.filter((other) => other.client === client)
          fail(
            greedy,
            `logs of block ${height}`,
            rpcError('rateLimited', 'they are held against too many subscriptions'),
          )
        }
      }
      from = page.next
    }
  }

  /** Whoever ends meanwhile is told nothing more. */
  const tellAll = async (wanting: readonly HubSubscription[], text: Text): Promise<void> => {
    const turn = new Turn()
    const result = toNotification(text)
    for (const subscription of wanting) {
      if (turn.isOver) await turn.next()
      if (subscriptions.has(subscription)) turn.notify(subscription, result)
    }
  }

  /** A block may have more receipts than one answer holds: then those end who want them all. */
  const sendAllReceipts = async (head: Head, wanting: readonly HubSubscription[]): Promise<void> => {
    if (wanting.length === 0) return
    try {
      const text = await askText('blockReceipts', { block: { hash: head.hash } })
      if (text.length > NO_RECEIPTS.length) await tellAll(wanting, text)
    } catch (error) {
      fail(wanting, `receipts of block ${head.height}`, error)
    }
  }

  const sendReceipts = async (head: Head, wanting: readonly Of<'transactionReceipts'>[]): Promise<void> => {
    const choosy = wanting.filter(({ kind }) => kind.hashes.size > 0)
    const all = wanting.filter(({ kind }) => kind.hashes.size === 0)
    await sendAllReceipts(head, all)
    if (choosy.length === 0) return
    const block = JSON.parse(await ask('block', { block: { hash: head.hash }, full: false })) as Transactions | null
    const receipts = new BlockReceipts(askText, block?.transactions ?? [])
    const turn = new Turn()
    for (const subscription of choosy) {
      if (turn.isOver) await turn.next()
      if (!subscriptions.has(subscription)) continue
      try {
        const picked = await receipts.pick(subscription.kind.hashes)
        if (picked !== undefined && subscriptions.has(subscription)) turn.notify(subscription, picked)
      } catch (error) {
        if (!isRpcError(error, 'responseTooLarge')) throw error
        fail([subscription], `receipts of block ${head.height}`, error)
      }
    }
  }

  const sendTransactions = async (hashes: readonly Hex[], wanting: readonly HubSubscription[]): Promise<void> => {
    for (let done = 0; done < hashes.length; done += TRANSACTIONS_AT_ONCE) {
      const window = hashes.slice(done, done + TRANSACTIONS_AT_ONCE)
      for (const transaction of await Promise.all(window.map(async (hash) => ask('pendingTransaction', { hash })))) {
        // It may have been included or replaced in the meantime.
        if (transaction !== 'null') await tellAll(wanting, transaction)
      }
    }
  }

  const sendHashes = async (hashes: readonly Hex[], wanting: readonly HubSubscription[]): Promise<void> => {
    for (const hash of hashes) await tellAll(wanting, `"${hash}"`)
  }

  const sendSyncing = async (isSyncing: boolean, wanting: readonly HubSubscription[]): Promise<void> => {
    await tellAll(wanting, isSyncing ? `{"syncing":true,"status":${await ask('syncing', {})}}` : 'false')
  }

  const fail = (wanting: readonly HubSubscription[], what: string, error: unknown): void => {
    const reason = errorText(error)
    log.warn('subscriptions ended: notifications could not be sent', { what, reason, subscriptions: wanting.length })
    for (const subscription of wanting) {
      if (remove(subscription)) subscription.fail(`${what}: ${reason}`)
    }
  }

  const enqueue = (line: Line, wanting: readonly HubSubscription[], what: string, send: () => Promise<void>): void => {
    if (wanting.length === 0) return
    const work = () => send().catch((error: unknown) => fail(wanting, what, error))
    if (!line.add(work)) fail(wanting, what, rpcError('failed', 'too much waits to be told before'))
  }

  const onHead = (head: Head, rank: Rank): void => {
    const { height } = head
    const all = listOf('newHeads', rank)
    enqueue(heads[rank], all, `header of block ${height}`, () => tellAll(all, head.header))
    const logs = head.logCount > 0 ? listOf('logs', rank) : []
    enqueue(logsOfBlocks[rank], logs, `logs of block ${height}`, () => sendLogs(head, logs))
    const receipts = listOf('transactionReceipts', rank)
    enqueue(receiptsOfBlocks[rank], receipts, `receipts of block ${height}`, () => sendReceipts(head, receipts))
  }

  const onSyncing = (isSyncing: boolean, rank: Rank): void => {
    const syncing = listOf('syncing', rank)
    enqueue(syncingStates[rank], syncing, 'syncing', () => sendSyncing(isSyncing, syncing))
  }

  const onPending = (pending: readonly Hex[], rank: Rank): void => {
    const all = listOf('newPendingTransactions', rank)
    const brief = all.filter(({ kind }) => !kind.full)
    enqueue(hashes[rank], brief, 'pending transactions', () => sendHashes(pending, brief))
    const full = all.filter(({ kind }) => kind.full)
    enqueue(transactions[rank], full, 'pending transactions', () => sendTransactions(pending, full))
  }

  const stop = options.head.subscribe((news: HeadNews) => {
    if (news.type === 'missed')
      fail([...subscriptions].filter(isAboutBlocks), 'blocks', rpcError('failed', news.reason))
    else if (news.type === 'pending') for (const rank of RANKS) onPending(news.hashes, rank)
    else {
      for (const rank of RANKS) onHead(news.head, rank)
      if (news.head.catchingUp === catchingUp) return
      catchingUp = news.head.catchingUp
      for (const rank of RANKS) onSyncing(catchingUp, rank)
    }
  })

  return {
    add(subscription) {
      const { client, kind } = subscription
      const ended = owners.add(client, subscription, subscriptionBytes(kind))
      if (ended.length > 0) fail(ended, 'subscriptions', rpcError('rateLimited', 'those of all clients are too many'))
      subscriptions.add(subscription)
      return () => void remove(subscription)
    },
    close() {
      stop()
      subscriptions.clear()
    },
  }
}

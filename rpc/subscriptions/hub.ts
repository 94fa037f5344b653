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
import { Lines } from './line.ts'
import { LogIndex } from './log-index.ts'
import { isInRange, type LogView } from './match-logs.ts'
import { type Notification, toNotification } from './notification.ts'
import { Owners, subscriptionBytes } from './owners.ts'
import { Recent } from './recent.ts'
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

interface Transactions {
  readonly transactions: readonly Hex[]
}

interface LogPage {
  readonly next: LogCursor | null
  readonly logs: readonly LogView[]
}

type PageCriteria = Pick<LogCriteria, 'addresses' | 'topics'>

/** What all clients share of a page. */
interface IndexedPage extends LogPage {
  readonly index: LogIndex
  /** Texts of the logs that somebody wants, by place. */
  readonly texts: Notification[]
}

const byClient = <Wanting extends HubSubscription>(list: readonly Wanting[]): ReadonlyMap<string, Wanting[]> => {
  const groups = new Map<string, Wanting[]>()
  for (const each of list) {
    const group = groups.get(each.client)
    if (group === undefined) groups.set(each.client, [each])
    else group.push(each)
  }
  return groups
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
/** Pages of logs that clients who are a little behind others find made; each may have 4 MB of text. */
const RECENT_PAGES = 2
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
  /** One for each kind and rank of a client: the logs of a block never come before those of its parent, and keep nothing else waiting. */
  const lines = new Lines(MAX_WAITING, () => {
    for (const recent of [pages, receiptTexts, chosenReceipts, pendingTexts]) recent.clear()
  })
  const turn = new Turn()
  // What the subscriptions of several clients want of a block, while some wait for it.
  const pages = new Recent<IndexedPage>(RECENT_PAGES)
  const receiptTexts = new Recent<Text>(1)
  const chosenReceipts = new Recent<BlockReceipts>(1)
  const pendingTexts = new Recent<string>(TRANSACTIONS_AT_ONCE)

  const listOf = <Name extends KindName>(type: Name, rank: Rank): Of<Name>[] =>
    [...subscriptions.of(rank)].filter((subscription): subscription is Of<Name> => subscription.kind.type === type)

  const remove = (subscription: HubSubscription): boolean => {
    owners.remove(subscription.client, subscription)
    return subscriptions.delete(subscription)
  }

  const pageAt = (height: number, from: LogCursor, criteria: PageCriteria): Promise<IndexedPage> =>
    pages.get(`${height} ${from.height} ${from.log}`, async () => {
      const { logs, next } = JSON.parse(await ask('logsPage', { criteria, from, to: height })) as LogPage
      return { logs, next, index: new LogIndex(logs), texts: [] }
    })

  /** Page by page: a block may have more logs than one answer, or the memory of a gateway, holds. */
  const sendLogs = async (height: number, criteria: PageCriteria, wanting: readonly Of<'logs'>[]): Promise<void> => {
    let misses = 0
    let from: LogCursor | null = { height, log: 0 }
    while (from !== null && wanting.some((subscription) => subscriptions.has(subscription))) {
      const { logs, index, texts, next }: IndexedPage = await pageAt(height, from, criteria)
      for (const subscription of wanting) {
        if (turn.isOver) await turn.next()
        for (const place of index.candidates(subscription.kind.criteria)) {
          if (turn.isOver) await turn.next()
          if (!subscriptions.has(subscription)) break
          const log = logs[place]
          if (log === undefined) continue
          if (subscription.kind.matches(log)) {
            turn.notify(subscription, (texts[place] ??= toNotification(JSON.stringify(log))))
          } else if (++misses >= MAX_MISSES) {
            throw rpcError('rateLimited', 'they are held against too many subscriptions')
          }
        }
      }
      from = next
    }
  }

  /** Whoever ends meanwhile is told nothing more. */
  const tellAll = async (wanting: readonly HubSubscription[], text: Text): Promise<void> => {
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
      const ask = async (): Promise<Text> => await askText('blockReceipts', { block: { hash: head.hash } })
      const text = await receiptTexts.get(head.hash, ask)
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
    const receipts = await chosenReceipts.get(head.hash, async () => {
      const block = JSON.parse(await ask('block', { block: { hash: head.hash }, full: false })) as Transactions | null
      return new BlockReceipts(askText, block?.transactions ?? [])
    })
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
      const textOf = (hash: Hex): Promise<string> =>
        pendingTexts.get(hash, async () => await ask('pendingTransaction', { hash }))
      for (const transaction of await Promise.all(window.map(textOf))) {
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

  /** `what` says of what; `send` tells those of one client. */
  const enqueue = <Wanting extends HubSubscription>(
    line: string,
    wanting: readonly Wanting[],
    what: string,
    send: (group: readonly Wanting[]) => Promise<void>,
  ): void => {
    for (const [client, group] of byClient(wanting)) {
      const work = () => send(group).catch((error: unknown) => fail(group, what, error))
      if (lines.add(`${line} ${client}`, work)) continue
      fail(group, what, rpcError('failed', 'too much waits to be told before'))
    }
  }

  const onHead = (head: Head): void => {
    const { height, header, logCount } = head
    const logs = RANKS.map((rank) => (logCount > 0 ? listOf('logs', rank) : []))
    const inRange = logs.map((each) => each.filter(({ kind }) => isInRange(kind.criteria, height)))
    const criteria = { addresses: unionOfAddresses(inRange.flat().map(({ kind }) => kind.criteria)), topics: [] }
    for (const [index, rank] of RANKS.entries()) {
      enqueue(`heads ${rank}`, listOf('newHeads', rank), `header of block ${height}`, (all) => tellAll(all, header))
      const send = (group: readonly Of<'logs'>[]): Promise<void> => sendLogs(height, criteria, group)
      enqueue(`logs ${rank}`, inRange[index] ?? [], `logs of block ${height}`, send)
      const receipts = listOf('transactionReceipts', rank)
      enqueue(`receipts ${rank}`, receipts, `receipts of block ${height}`, (group) => sendReceipts(head, group))
    }
  }

  const onSyncing = (isSyncing: boolean, rank: Rank): void =>
    enqueue(`syncing ${rank}`, listOf('syncing', rank), 'syncing', (group) => sendSyncing(isSyncing, group))

  const onPending = (hashes: readonly Hex[], rank: Rank): void => {
    const all = listOf('newPendingTransactions', rank)
    const brief = all.filter(({ kind }) => !kind.full)
    enqueue(`hashes ${rank}`, brief, 'pending transactions', (group) => sendHashes(hashes, group))
    const full = all.filter(({ kind }) => kind.full)
    enqueue(`transactions ${rank}`, full, 'pending transactions', (group) => sendTransactions(hashes, group))
  }

  const stop = options.head.subscribe((news: HeadNews) => {
    if (news.type === 'missed')
      fail([...subscriptions].filter(isAboutBlocks), 'blocks', rpcError('failed', news.reason))
    else if (news.type === 'pending') for (const rank of RANKS) onPending(news.hashes, rank)
    else {
      onHead(news.head)
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

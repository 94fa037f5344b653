/**
 * The subscriptions of all connections of a gateway. Each block's logs and receipts are asked for once, however many
 * subscriptions want them, and only while some do.
 */
import type { Head, LogCriteria, LogCursor, Questions, QuestionName } from '../../app/ports.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorText } from '../../core/errors.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import type { HeadNews, HeadTracker } from '../head.ts'
import type { GatewayLog } from '../log.ts'
import { createLine, type Line } from './line.ts'
import { isInRange, type LogView } from './match-logs.ts'
import { Owners, subscriptionBytes } from './owners.ts'
import { Roster } from './roster.ts'
import type { SubscriptionKind } from './subscription.ts'

export interface HubSubscription {
  /** The client as {@link clientOf} of limits.ts names it. */
  readonly client: string
  /** The name of the connection that it is of. */
  readonly connection: string
  readonly kind: SubscriptionKind
  /** Sends the text of a result. */
  notify(result: string): void
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
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): string | Promise<string>
  readonly log: GatewayLog
}

type KindName = SubscriptionKind['type']
type Of<Name extends KindName> = HubSubscription & { readonly kind: Extract<SubscriptionKind, { type: Name }> }

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
/** Announcements that wait for the logs of the ones before them; more means that the application does not answer. */
const MAX_WAITING = 1_000
/** Pending transactions of one announcement that are asked for together. */
const TRANSACTIONS_AT_ONCE = 64

/** What they look for takes memory of the gateway: of all clients and of one, as of polling filters. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_CLIENT_BYTES = 4 * 1024 * 1024
/** Before others get a turn. A notification takes some microseconds: it is a frame of its own. */
const TURN_MS = 1

/** A turn of the event loop, and the next one. */
class Turn {
  #untilMs = performance.now() + TURN_MS

  get isOver(): boolean {
    return performance.now() >= this.#untilMs
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#untilMs = performance.now() + TURN_MS
  }
}

const isAboutBlocks = ({ kind }: HubSubscription): boolean =>
  kind.type === 'newHeads' || kind.type === 'logs' || kind.type === 'transactionReceipts'

export const createSubscriptionHub = (options: HubOptions): SubscriptionHub => {
  const { ask, log } = options
  const subscriptions = new Roster<HubSubscription>()
  const owners = new Owners<HubSubscription>({ bytes: MAX_BYTES, bytesOfClient: MAX_CLIENT_BYTES })
  let catchingUp = options.head.isAvailable() && options.head.current().head.catchingUp
  const heads = createLine(MAX_WAITING)
  const pending = createLine(MAX_WAITING)
  /** What the application is asked for: the logs of a block never come before those of its parent. */
  const answers = createLine(MAX_WAITING)

  const listOf = <Name extends KindName>(type: Name): Of<Name>[] =>
    [...subscriptions].filter((subscription): subscription is Of<Name> => subscription.kind.type === type)

  const remove = (subscription: HubSubscription): boolean => {
    owners.remove(subscription.client, subscription)
    return subscriptions.delete(subscription)
  }

  /** Page by page: a block may have more logs than one answer, or the memory of a gateway, holds. */
  const sendLogs = async ({ height }: Head, subscribed: readonly Of<'logs'>[]): Promise<void> => {
    const wanting = subscribed.filter(({ kind }) => isInRange(kind.criteria, height))
    const criteria = { addresses: unionOfAddresses(wanting.map(({ kind }) => kind.criteria)), topics: [] }
    const turn = new Turn()
    let from: LogCursor | null = { height, log: 0 }
    while (from !== null && wanting.some((subscription) => subscriptions.has(subscription))) {
      const page: LogPage = JSON.parse(await ask('logsPage', { criteria, from, to: height })) as LogPage
      for (const log of page.logs) {
        let text: string | undefined
        for (const subscription of wanting) {
          if (turn.isOver) await turn.next()
          if (!subscriptions.has(subscription) || !subscription.kind.matches(log)) continue
          subscription.notify((text ??= JSON.stringify(log)))
        }
      }
      from = page.next
    }
  }

  /** Whoever ends meanwhile is told nothing more. */
  const tellAll = async (wanting: readonly HubSubscription[], result: string): Promise<void> => {
    const turn = new Turn()
    for (const subscription of wanting) {
      if (turn.isOver) await turn.next()
      if (subscriptions.has(subscription)) subscription.notify(result)
    }
  }

  const sendReceipts = async (head: Head, wanting: readonly Of<'transactionReceipts'>[]): Promise<void> => {
    const text = await ask('blockReceipts', { block: { hash: head.hash } })
    const receipts = (JSON.parse(text) ?? []) as { readonly transactionHash: Hex }[]
    const all = wanting.filter(({ kind }) => kind.hashes.size === 0)
    if (receipts.length > 0) await tellAll(all, text)
    const places = new Map(receipts.map(({ transactionHash }, place) => [transactionHash, place]))
    const turn = new Turn()
    for (const subscription of wanting) {
      const { hashes } = subscription.kind
      if (turn.isOver) await turn.next()
      if (hashes.size === 0 || !subscriptions.has(subscription)) continue
      const wanted = [...hashes].flatMap((hash) => places.get(hash) ?? []).sort((one, other) => one - other)
      if (wanted.length > 0) subscription.notify(JSON.stringify(wanted.map((place) => receipts[place])))
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
    if (!line.add(work)) fail(wanting, what, rpcError('failed', 'the application does not answer'))
  }

  const onHead = (head: Head): void => {
    const all = listOf('newHeads')
    enqueue(heads, all, `header of block ${head.height}`, () => tellAll(all, head.header))
    const logs = head.logCount > 0 ? listOf('logs') : []
    enqueue(answers, logs, `logs of block ${head.height}`, () => sendLogs(head, logs))
    const receipts = listOf('transactionReceipts')
    enqueue(answers, receipts, `receipts of block ${head.height}`, () => sendReceipts(head, receipts))
    if (head.catchingUp === catchingUp) return
    catchingUp = head.catchingUp
    const syncing = listOf('syncing')
    enqueue(answers, syncing, 'syncing', () => sendSyncing(head.catchingUp, syncing))
  }

  const onPending = (hashes: readonly Hex[]): void => {
    const all = listOf('newPendingTransactions')
    const brief = all.filter(({ kind }) => !kind.full)
    enqueue(pending, brief, 'pending transactions', () => sendHashes(hashes, brief))
    const full = all.filter(({ kind }) => kind.full)
    enqueue(answers, full, 'pending transactions', () => sendTransactions(hashes, full))
  }

  const stop = options.head.subscribe((news: HeadNews) => {
    if (news.type === 'missed')
      fail([...subscriptions].filter(isAboutBlocks), 'blocks', rpcError('failed', news.reason))
    else if (news.type === 'pending') onPending(news.hashes)
    else onHead(news.head)
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

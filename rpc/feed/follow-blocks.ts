/**
 * Follows the committed blocks of a node from a cursor on, in another process: in order of their heights and without a
 * gap. The next block is asked for when the one before is done, so that whoever is slow slows nobody else down.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedBlock, FeedPage, FeedPlace, QueryApplication } from '../../app/ports.ts'
import { CodedError, errorText } from '../../core/errors.ts'
import type { Hex } from '../../core/hex.ts'
import { isRpcError } from '../errors.ts'
import { type GatewayLog, SILENT_LOG } from '../log.ts'
import { feedError } from './errors.ts'

/** The block that is done. Its hash tells another chain from this one. */
export interface FeedPosition {
  readonly height: number
  readonly hash: Hex
}

export interface FeedCursor {
  load(): FeedPosition | undefined | Promise<FeedPosition | undefined>
  /** Saves the position: after it has returned, the position survives what the consumer must survive. */
  save(position: FeedPosition): void | Promise<void>
}

export interface FollowOptions {
  /** The application, mostly at the other end of a stream (`connectApplication`), which connects again by itself. */
  readonly application: QueryApplication
  readonly cursor: FeedCursor
  /** First block where the cursor has none; the oldest of the node when left out. */
  readonly from?: number
  /** False ends at the head. */
  readonly isEndless: boolean
  /** Characters of a page, about; 4 Mi when left out, which is also the most. */
  readonly maxBytes?: number
  /** Gives up when the node has not answered for so long; never when left out. */
  readonly patienceMs?: number
  /** Ends after the block in hand. */
  readonly signal?: AbortSignal
  readonly log?: GatewayLog
  /**
   * Called with one block after another, the next one when this has resolved and the cursor is saved. After a crash in
   * between the block comes once more; whoever keeps the cursor and what it makes of a block in one transaction sees
   * each once. What it throws ends the feed, and the cursor stays.
   */
  onBlock(block: FeedBlock): void | Promise<void>
}

const DEFAULT_PAGE_BYTES = 4 * 1024 * 1024
const PAUSE_MS = { first: 50, most: 2_000 } as const
/** Internal errors in a row: a worker of the node that died is there again, a fault of the node stays. */
const MAX_FAULTS = 5

/** Codes of codespace `query` that pass: a worker took too long, too many wait. */
const PASSING_QUERY_CODES: readonly number[] = [4, 5]

const isPassing = (error: unknown): boolean =>
  isRpcError(error, 'unavailable') ||
  isRpcError(error, 'timeout') ||
  isRpcError(error, 'rateLimited') ||
  (error instanceof CodedError && error.codespace === 'query' && PASSING_QUERY_CODES.includes(error.code))

class BlockFollower {
  readonly #options: FollowOptions
  readonly #signal: AbortSignal
  readonly #log: GatewayLog
  #place: FeedPlace | undefined
  /** The block before the place; undefined before the first one. */
  #done: FeedPosition | undefined
  /** A block of which not all transactions have come yet. */
  #partial: { readonly block: FeedBlock; readonly transactions: FeedBlock['transactions'][number][] } | undefined
  /** The height of the announcement that came last since the last page was asked for. */
  #announced: number | undefined
  #wake: (() => void) | undefined

  constructor(options: FollowOptions) {
    this.#options = options
    this.#signal = options.signal ?? new AbortController().signal
    this.#log = options.log ?? SILENT_LOG
  }

  async run(): Promise<void> {
    const { application, cursor, from, isEndless } = this.#options
    this.#done = await cursor.load()
    const first = this.#done === undefined ? from : this.#done.height + 1
    this.#place = first === undefined ? undefined : { height: first, transaction: 0 }
    const stop = application.subscribe((announcement) => {
      if (announcement.type !== 'head') return
      this.#announced = announcement.head.height
      this.#wake?.()
    })
    try {
      while (!this.#signal.aborted) {
        const page = await this.#askPage()
        if (page === undefined) return
        const isAtHead = page.blocks.length === 0 && page.rest === null
        if (!isAtHead) await this.#take(page)
        else if (!isEndless) return
        else await this.#untilAnnounced(page)
      }
    } finally {
      stop()
    }
  }

  /** Waits out what passes; undefined once the feed is to end. */
  async #askPage(): Promise<FeedPage | undefined> {
    const { maxBytes = DEFAULT_PAGE_BYTES, patienceMs = Number.POSITIVE_INFINITY } = this.#options
    const giveUpMs = performance.now() + patienceMs
    let pauseMs: number = PAUSE_MS.first
    let told = ''
    for (let faults = 0; !this.#signal.aborted; ) {
      try {
        this.#announced = undefined
        const from = this.#place === undefined ? {} : { from: this.#place }
        // The answer is as of the newest block, whichever it is.
        const answer = Promise.resolve(this.#options.application.ask('committedBlocks', { ...from, maxBytes }, 0))
        const text = await this.#orAborted(answer)
        return text === undefined ? undefined : (JSON.parse(text) as FeedPage)
      } catch (error) {
        const isFault = isRpcError(error, 'internal') && ++faults <= MAX_FAULTS
        if (!(isFault || isPassing(error)) || performance.now() >= giveUpMs) throw error
        const reason = errorText(error)
        // That the node is away the stream has said.
        if (reason !== told && !isRpcError(error, 'unavailable'))
          this.#log.warn('no page of the feed, asking again', { reason })
        told = reason
        await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined)
        pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most)
      }
    }
    return undefined
  }

  async #take({ rest, blocks, next }: FeedPage): Promise<void> {
    this.#addRest(rest)
    const partial = this.#partial
    if (partial !== undefined && next.height > partial.block.height) {
      this.#partial = undefined
      await this.#deliver({ ...partial.block, transactions: partial.transactions })
    }
    for (const block of blocks) {
      // What comes after the end is asked for anew by whoever goes on.
      if (this.#signal.aborted) return
      if (block.height === next.height) this.#partial = { block, transactions: [...block.transactions] }
      else await this.#deliver(block)
    }
    this.#place = next
  }

  #addRest(rest: FeedPage['rest']): void {
    if (rest === null && this.#partial === undefined) return
    if (rest === null || this.#partial === undefined || rest.hash !== this.#partial.block.hash)
      throw feedError('page', 'a page does not go on in the block in which the one before it ended')
    for (const transaction of rest.transactions) this.#partial.transactions.push(transaction)
  }

  async #deliver(block: FeedBlock): Promise<void> {
    this.#check(block)
    await this.#options.onBlock(block)
    const position = { height: block.height, hash: block.hash }
    await this.#options.cursor.save(position)
    this.#done = position
  }

  #check({ height, hash, header, transactions, transactionCount }: FeedBlock): void {
    const expected = this.#done === undefined ? this.#place?.height : this.#done.height + 1
    if (expected !== undefined && height !== expected) throw feedError('page', `block ${height} came for ${expected}`)
    if (transactions.length !== transactionCount)
      throw feedError('page', `block ${height} came with ${transactions.length} of ${transactionCount} transactions`)
    if (this.#done !== undefined && header.parentHash !== this.#done.hash) {
      const { height: last, hash: lastHash } = this.#done
      throw feedError(
        'otherChain',
        `block ${height} (${hash}) does not follow block ${last} of the cursor (${lastHash})`,
      )
    }
  }

  /** Waits until a head is told that is not in the page: one that was told while the page was asked for counts, too. */
  async #untilAnnounced({ head, next }: FeedPage): Promise<void> {
    this.#place = next
    if (head < next.height - 1) this.#log.warn('the node is behind the cursor', { head, wanted: next.height })
    while (!this.#signal.aborted && (this.#announced ?? 0) < next.height) {
      await this.#orAborted(
        new Promise<void>((resolve) => {
          this.#wake = resolve
        }),
      )
    }
  }

  /** Undefined once the feed is to end. A listener of its own each time: a shared promise would keep them all. */
  #orAborted<T>(promise: Promise<T>): Promise<T | undefined> {
    const signal = this.#signal
    return new Promise((resolve, reject) => {
      const stop = (): void => resolve(undefined)
      signal.addEventListener('abort', stop, { once: true })
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    })
  }
}

/**
 * Resolves at the end that was asked for: at the head, or by the signal. Rejects with what `onBlock` throws, with feed
 * errors, and with what the application refuses: query/8 when the block behind the cursor is pruned.
 */
export const followBlocks = (options: FollowOptions): Promise<void> => new BlockFollower(options).run()

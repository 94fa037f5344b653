/** The pushed copy of the head: what a gateway knows without asking, and the height that its questions carry. */
import type { Announcement, Head, QueryApplication } from '../app/ports.ts'
import { errorText } from '../core/errors.ts'
import { quantityToHex } from '../core/hex.ts'
import { rpcError } from './errors.ts'

/** An application that may be out of reach. */
export interface ReachableApplication extends QueryApplication {
  /** Where another thread reaches it; left out where it is in this process. */
  readonly endpoint?: Endpoint
  readonly connected?: boolean
  /** Calls `listener` after each change of `connected`. Returns how to stop. */
  onConnection?(listener: () => void): () => void
}

/** Where an application listens, and what it asks for. */
export interface Endpoint {
  readonly address: string
  /** Gateways must know it; left out where none is asked for. */
  readonly secret?: Uint8Array
}

export interface KnownHead {
  readonly head: Head
  /** Texts of results: made once a block, not once a request. */
  readonly blockNumber: string
  readonly chainId: string
  readonly networkVersion: string
}

/** What a gateway tells those who listen. */
export type HeadNews =
  | { readonly type: 'head'; readonly head: Head }
  | Extract<Announcement, { type: 'pending' }>
  /** Heads that nobody can be told of any more: what follows is not in order with what came before. */
  | { readonly type: 'missed'; readonly reason: string }

export interface HeadTracker {
  /** Throws rpc/unavailable before the first head and while the application is away. */
  current(): KnownHead
  isAvailable(): boolean
  /**
   * The health rule of the interface. Native and EVM heights are one number here, so the rule comes down to being available and not
   * catching up.
   */
  isHealthy(): boolean
  /** Calls `listener` after each change of {@link isHealthy}. Returns how to stop. */
  onHealth(listener: (isHealthy: boolean) => void): () => void
  /**
   * Heads of blocks that are committed from now on, each once and in the order of their heights, and pending
   * transactions. Returns how to stop.
   */
  subscribe(listener: (news: HeadNews) => void): () => void
  close(): void
}

/** Heads of one answer, and those that are made up for behind a lost connection: more is for clients to look up. */
const HEADS_AT_ONCE = 100
const MAX_MISSED_HEADS = 1_000

const describe = (head: Head): KnownHead => ({
  head,
  blockNumber: `"${quantityToHex(head.height)}"`,
  chainId: `"${quantityToHex(head.evmChainId)}"`,
  networkVersion: `"${head.evmChainId}"`,
})

export const createHeadTracker = (application: ReachableApplication): HeadTracker => {
  const listeners = new Set<(news: HeadNews) => void>()
  let known: KnownHead | undefined
  /** The newest head that was told, or that was there before anybody could listen. */
  let told: Head | undefined
  /** While heads are made up for, those that follow them wait. */
  let waiting: Head[] | undefined

  const publish = (news: HeadNews): void => {
    for (const listener of listeners) listener(news)
  }
  const tell = (head: Head): void => {
    told = head
    publish({ type: 'head', head })
  }

  const makeUpFor = async (from: number, { height, catchingUp }: Head): Promise<void> => {
    const to = height - 1
    if (to - from >= MAX_MISSED_HEADS) throw rpcError('failed', `${to - from + 1} blocks were missed`)
    for (let first = from; first <= to; first += HEADS_AT_ONCE) {
      const last = Math.min(first + HEADS_AT_ONCE - 1, to)
      const heads = JSON.parse(await application.ask('heads', { from: first, to: last }, to)) as readonly Head[] | null
      if (heads?.length !== last - first + 1) throw rpcError('failed', `blocks ${first} to ${last} are not here`)
      for (const head of heads) tell({ ...head, catchingUp })
    }
  }

  const catchUp = async (from: number, head: Head): Promise<void> => {
    const following: Head[] = (waiting = [])
    try {
      await makeUpFor(from, head)
    } catch (error) {
      publish({ type: 'missed', reason: errorText(error) })
    }
    tell(head)
    waiting = undefined
    for (const next of following) follow(next, true)
  }

  const follow = (head: Head, isNew: boolean): void => {
    if (waiting !== undefined) {
      // A head that was lost among them shows as a gap again, and is made up for then.
      if (waiting.length < MAX_MISSED_HEADS) waiting.push(head)
      return
    }
    const behind = told === undefined ? undefined : head.height - told.height
    if (told !== undefined && behind !== undefined && behind > 1) void catchUp(told.height + 1, head)
    else if (behind === 1) tell(head)
    // The first of all, the same again, or that of a chain that was rolled back.
    else if (isNew && head.hash !== told?.hash) tell(head)
    else told = head
  }

  const isAvailable = (): boolean => known !== undefined && application.connected !== false
  const isHealthy = (): boolean => isAvailable() && known?.head.catchingUp === false
  const watchers = new Set<(isHealthy: boolean) => void>()
  let wasHealthy = false
  const tellHealth = (): void => {
    const now = isHealthy()
    if (now === wasHealthy) return
    wasHealthy = now
    for (const watcher of watchers) watcher(now)
  }

  const stopConnection = application.onConnection?.(tellHealth)
  const stop = application.subscribe((announcement) => {
    if (announcement.type === 'pending') return publish(announcement)
    known = describe(announcement.head)
    tellHealth()
    follow(announcement.head, announcement.isNew)
  })

  return {
    current() {
      if (known === undefined || application.connected === false) {
        throw rpcError('unavailable', 'application unavailable; retrying')
      }
      return known
    },
    isAvailable,
    isHealthy,
    onHealth(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      stop()
      stopConnection?.()
      listeners.clear()
      watchers.clear()
    },
  }
}

/** The pushed copy of the head: what a gateway knows without asking, and the height that its questions carry. */
import type { Announcement, Head, QueryApplication } from '../app/ports.ts'
import { quantityToHex } from '../core/hex.ts'
import { rpcError } from './errors.ts'

/** An application that may be out of reach. */
export type ReachableApplication = QueryApplication & { readonly connected?: boolean }

export interface KnownHead {
  readonly head: Head
  /** Texts of results: made once a block, not once a request. */
  readonly blockNumber: string
  readonly chainId: string
  readonly networkVersion: string
}

export interface HeadTracker {
  /** Throws rpc/unavailable before the first head and while the application is away. */
  current(): KnownHead
  isAvailable(): boolean
  /** Heads that are new, and pending transactions, in order. Returns how to stop. */
  subscribe(listener: (announcement: Announcement) => void): () => void
  close(): void
}

const describe = (head: Head): KnownHead => ({
  head,
  blockNumber: `"${quantityToHex(head.height)}"`,
  chainId: `"${quantityToHex(head.evmChainId)}"`,
  networkVersion: `"${head.evmChainId}"`,
})

export const createHeadTracker = (application: ReachableApplication): HeadTracker => {
  const listeners = new Set<(announcement: Announcement) => void>()
  let known: KnownHead | undefined

  const stop = application.subscribe((announcement) => {
    if (announcement.type === 'head') {
      const isNew = known === undefined || announcement.head.hash !== known.head.hash
      known = describe(announcement.head)
      // A reconnected application announces the head again.
      if (!isNew) return
    }
    for (const listener of listeners) listener(announcement)
  })

  const isAvailable = (): boolean => known !== undefined && application.connected !== false

  return {
    current() {
      if (known === undefined || application.connected === false) {
        throw rpcError('unavailable', 'application unavailable; retrying')
      }
      return known
    },
    isAvailable,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      stop()
      listeners.clear()
    },
  }
}

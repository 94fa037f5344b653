/** What the thread of a gateway and its thread for long requests say to each other. */
import type { Endpoint } from '../head.ts'
import type { Head } from '../../app/ports.ts'
import type { Unreadable } from '../payload.ts'
import type { RequestFigure } from '../request-figures.ts'
import type { GatewaySettings } from '../settings.ts'

/** A filter of the most addresses and topics has 350 KB. What is longer does not go back to the thread of its connection. */
export const MOST_SUBSCRIBING_BYTES = 1024 * 1024

export interface LongRequestsData {
  readonly settings: GatewaySettings
  readonly endpoint: Endpoint
}

export interface LongRequest {
  readonly kind: 'request'
  readonly id: number
  readonly bytes: Uint8Array
  readonly client: string
  readonly connection: string
  /** A request that subscribes goes back: subscriptions are those of the connection. */
  readonly canSubscribe: boolean
}

export type ToThread =
  | LongRequest
  /** What it costs is charged: it may be asked. */
  | { readonly kind: 'admitted'; readonly id: number }
  /** Nobody waits for the answer any more. */
  | { readonly kind: 'gone'; readonly id: number }
  /** There is no room for more of what the batch keeps. */
  | { readonly kind: 'full'; readonly id: number }
  | { readonly kind: 'head'; readonly head: Head }
  | 'stop'

export type ThreadOutcome =
  /** `reply` is undefined where nothing is to be sent. */
  | { readonly kind: 'reply'; readonly reply: string | readonly Uint8Array[] | undefined }
  /** `syntax` says in geth's words where it stops being JSON; undefined where it only ends too early. */
  | { readonly kind: 'unreadable'; readonly why: Unreadable; readonly syntax: string | undefined }
  | { readonly kind: 'subscribes'; readonly bytes: Uint8Array }

export type FromThread =
  /**
   * Its bytes are read; `cost` is what its methods take of the limit of rates, and `replyId` the id of a refusal. What it
   * asks is asked when it is admitted.
   */
  | { readonly kind: 'read'; readonly id: number; readonly cost: number; readonly replyId: string }
  /** So many more bytes of its values, and of answers that wait for the others, are kept. */
  | { readonly kind: 'hold'; readonly id: number; readonly bytes: number }
  | {
      readonly kind: 'end'
      readonly id: number
      readonly outcome: ThreadOutcome
      readonly figures: readonly RequestFigure[]
    }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>> | undefined
    }

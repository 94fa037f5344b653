/** What the main thread and its workers for questions say to each other. */
import { CodedError } from '../../../core/errors.ts'
import type { Text } from '../../../core/text.ts'
import type { EncodedParameters, QuestionName, Questions } from '../../../app/ports.ts'
import type { ApplicationSettings } from '../../../app/settings.ts'

export interface ReaderQuestion {
  readonly id: number
  /** Its place among those that were handed over together, below {@link MAX_HAND}: where it is cancelled. */
  readonly place: number
  readonly name: QuestionName
  readonly parameters: Questions[QuestionName] | EncodedParameters
  readonly head: number
  readonly pending: readonly Uint8Array[]
  /** Time of this thread after which it is given up: it is long, and begins anew elsewhere. Infinity where it is there. */
  readonly sliceMs: number
}

/** Questions that are handed to a worker at once: to wake a thread costs more than to answer a short one. */
export const MAX_HAND = 16

/** What the main thread sends: questions in the order in which they are to be answered, or that it is time to end. */
export type ReaderRequest = readonly ReaderQuestion[] | 'stop'

interface Outcome {
  readonly id: number
  /** Time of the thread that it took. */
  readonly usedMs: number
}

export type ReaderAnswer =
  | (Outcome & { readonly kind: 'answer'; readonly text: Text })
  | (Outcome & { readonly kind: 'failure'; readonly failure: ReaderFailure })
  /** It took longer than its slice. */
  | (Outcome & { readonly kind: 'long' })
  /** It was not begun: those before it took too long. It waits again, among all that have come meanwhile. */
  | (Outcome & { readonly kind: 'back' })

/** What a worker says: once that it has loaded, now and then that it has grown, and its answers. */
export type ReaderMessage = 'ready' | 'grown' | readonly ReaderAnswer[]

/** A CodedError or a fault, across the thread boundary. */
export interface ReaderFailure {
  readonly codespace: string | undefined
  readonly code: number
  readonly message: string
  readonly data: unknown
}

export interface ReaderData {
  /** The handle of the open database. */
  readonly handle: unknown
  readonly settings: ApplicationSettings
  /** One BigInt64: the height that is being or has been committed. */
  readonly committedHeight: SharedArrayBuffer
  /** An Int32 a place of {@link MAX_HAND}: the question there that nobody waits for any more. */
  readonly cancelled: SharedArrayBuffer
  /** The niceness of the thread, where the system has such: what is long leaves the processors to the rest. */
  readonly niceness: number
  /** Bytes of a heap that is larger than it need be. */
  readonly grownBytes: number
}

/** A fault of the node, not of the question: it is logged where it is answered, and the client sees no detail. */
export class ReaderFault extends Error {
  override readonly name = 'ReaderFault'
}

export const toFailure = (error: unknown): ReaderFailure =>
  error instanceof CodedError
    ? { codespace: error.codespace, code: error.code, message: error.message, data: error.data }
    : {
        codespace: undefined,
        code: 0,
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        data: undefined,
      }

export const toError = ({ codespace, code, message, data }: ReaderFailure): Error =>
  codespace === undefined ? new ReaderFault(message) : new CodedError(codespace, code, message, data)

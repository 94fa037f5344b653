/** The application as gateways ask it, and what it announces to them. */
import type { Hex } from '../../core/hex.ts'
import type { Text } from '../../core/text.ts'
import type { BlockReference } from './calls.ts'
import type { Questions, QuestionName } from './questions.ts'

/** A process beside the node, as it was last heard of. */
export interface DaemonHealth {
  readonly name: string
  readonly healthy: boolean
  /** What is wrong, and since when (RFC 3339). */
  readonly error?: string
  readonly since?: string
  /** What it does without for now, such as one of several endpoints. */
  readonly warnings: readonly string[]
  /** Blocks of the external chain: what is finalized, and which block is read next. */
  readonly finalizedBlock?: number
  readonly nextBlock?: number
  readonly memoryBytes?: number
}

/** The head as the gateway keeps it; pushed after every commit, in order. */
export interface Head {
  readonly height: number
  readonly hash: Hex
  /** The header as `newHeads` and eth_getBlock* show it: JSON text of an object. */
  readonly header: string
  /** Logs in the block: a gateway asks for them only when there are any. */
  readonly logCount: number
  readonly evmChainId: number
  readonly chainId: string
  /** True while CometBFT fetches old blocks. */
  readonly catchingUp: boolean
  /** Left out where no daemon runs. */
  readonly daemons?: readonly DaemonHealth[]
}

export type Announcement =
  /** `isNew` of a block that was just committed; otherwise the head as it was, told to whoever begins to listen. */
  | { readonly type: 'head'; readonly head: Head; readonly isNew: boolean }
  /** Hashes of transactions that entered the pool, in order. */
  | { readonly type: 'pending'; readonly hashes: readonly Hex[] }

/** Who asks. It changes no answer, only whose turn it is, and whether one is made at all. */
export interface Asker {
  /** An address, or the network of one (rpc/limits.ts); empty for gateways themselves. */
  readonly client: string
  /** One of the client's; empty where it has none. */
  readonly connection: string
  /** Calls `listener` once when nobody waits for answers any more, at once where that is so. Returns how to stop. */
  onGone(listener: () => void): () => void
}

/** The parameters of a long question as they came: whoever answers it reads them, so that nobody else waits for that. */
export interface EncodedParameters {
  /** JSON in UTF-8, in memory of its own. */
  readonly encoded: Uint8Array
  /** The block that the question is about, if it names one. */
  readonly block?: BlockReference
}

export const isEncoded = (parameters: object): parameters is EncodedParameters => 'encoded' in parameters

/** The application as gateways ask it. */
export interface QueryApplication {
  /**
   * Answers as of `head`, the height that the asking gateway shows as its newest.
   * Resolves to the JSON text of the result. Rejects with a CodedError; any other error is a fault of the node.
   */
  ask<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    head: number,
    asker?: Asker,
  ): string | Promise<string>
  /** Does what {@link ask} does, for an answer that is handed on as it is: a long one comes as bytes. */
  askText<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    head: number,
    asker?: Asker,
  ): Text | Promise<Text>
  /** Calls `listener` for the present head at once, then for every announcement. Returns how to stop. */
  subscribe(listener: (announcement: Announcement) => void): () => void
}

/** The application behind its stream: what is long need not be read before it is known who answers it. */
export interface AnsweringApplication extends QueryApplication {
  /** Does what {@link QueryApplication.askText} does. */
  askEncoded(name: QuestionName, parameters: EncodedParameters, head: number, asker?: Asker): Text | Promise<Text>
}

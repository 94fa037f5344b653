/** What is known of a question: its cost, what pruning does to it, and how it is answered. */
import type { Address } from '../core/address.ts'
import type { Hash } from '../core/hash.ts'
import type { Hex } from '../core/hex.ts'
import type { Text } from '../core/text.ts'
import type { Environment } from '../app/environment.ts'
import type { Pool } from '../app/pool/pool.ts'
import type { CallRequest, PoolHints, QuestionName, Questions } from '../app/ports.ts'
import type { Reads } from './answer-cost.ts'
import type { ClobQuestions } from './clob/clob-questions.ts'
import type { FilterQuestions } from './filter-questions.ts'
import type { NativeQuestions } from './native-questions.ts'
import type { Reply } from './question-tools.ts'
import type { ChainView } from './chain-view.ts'

/** Where questions arrive: what it knows beside the chain, which workers do not have. */
export interface Desk {
  readonly pool: Pool
  readonly environment: Environment
  readonly filters: FilterQuestions
  readonly native: NativeQuestions
  readonly clob: ClobQuestions
  /** Answers from a view, on the thread that the cost says. */
  judged<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Reply
  /** Answered by a worker. */
  heavy<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Promise<Text>
  /** A transaction of the pool in full; undefined when it does not wait. */
  waiting(hash: Hex, head: number): Reply | undefined
  /** What the pool adds to a transaction object. */
  hints(call: CallRequest): PoolHints
  /** The gas price in anat a gas, as wallets are told. */
  gasPrice(): bigint
  tip(): bigint
  /** Tells the nonce of an account behind what waits in the pool. */
  nextNonce(address: Address): Hex
  submit(raw: Uint8Array): Promise<Hash>
  /** The wire form of a transaction of the order book. */
  submitOrder(raw: Uint8Array): Promise<Hash>
  syncing(head: number): unknown
}

interface Answered<Name extends QuestionName> {
  readonly reads: Reads
  /** It takes a worker for tenths of a second or longer, and waits behind the others. */
  readonly isSlow?: true
  /** It reads whole blocks: what pruning took away meanwhile is asked for again, or refused. */
  readonly readsBlocks?: true
  /** It is asked again and again of the same block, and its answer never changes. */
  readonly isKept?: true
  /** What the desk says before, or instead: it knows the pool. */
  readonly atDesk?: (desk: Desk, parameters: Questions[Name], head: number) => Reply
}

/** Answered from a view alone: the same on the main thread and in workers. */
interface FromView<Name extends QuestionName> extends Answered<Name> {
  readonly answer: (view: ChainView, parameters: Questions[Name]) => unknown
}

/** The same where the answer is JSON text from the beginning: as objects it would take many times the memory. */
interface TextFromView<Name extends QuestionName> extends Answered<Name> {
  readonly text: (view: ChainView, parameters: Questions[Name]) => string | Promise<string>
}

/** A question that is answered at the desk alone. */
interface AtDesk<Name extends QuestionName> {
  readonly atDesk: (desk: Desk, parameters: Questions[Name], head: number) => Reply
}

export type Question<Name extends QuestionName> = FromView<Name> | TextFromView<Name> | AtDesk<Name>

/** What a tracer is: it listens to one transaction or call, and then says what it saw. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionResult, Message } from '../../evm/engine.ts'
import type { StateReader } from '../../store/state.ts'
import type { TraceBudget } from './budget.ts'

export type TraceHooks = Pick<
  ExecuteOptions,
  'onStep' | 'stepsOf' | 'memoryOf' | 'onAccess' | 'onEnter' | 'onExit' | 'onLog' | 'onSelfDestruct'
>

/** Where a transaction stands. */
export interface TracePlace {
  readonly blockHash: Hash
  readonly height: number
  /** Index among the Ethereum transactions of the block. */
  readonly index: number
  readonly transactionHash: Hash
}

export interface TraceScene {
  /** The state as it changes under the message. */
  readonly state: StateReader
  readonly environment: BlockEnvironment
  readonly message: Message
  /** The account called or created. */
  readonly to: Address
  /** Undefined for calls. */
  readonly place: TracePlace | undefined
  readonly budget: TraceBudget
}

export interface Tracer {
  readonly hooks: TraceHooks
  /** Called after the message, when accounts that go are gone. */
  end?(result: ExecutionResult): void
  /** JSON text. */
  result(): string
}

/** Called before the message changes anything. */
export type CreateTracer = (scene: TraceScene) => Tracer

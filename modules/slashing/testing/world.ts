/** A module over an empty state, driven block by block. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { CodedError, invariant } from '../../../core/errors.ts'
import { bytesToHex } from '../../../core/hex.ts'
import type { Address } from '../../../core/address.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import type { StateReader } from '../../../store/state.ts'
import type { BlockContext, CommitVote, Event, MessageContext, Misbehavior, ModuleParts } from '../../module.ts'

export const CHAIN_ID = 'test-1'
const NS_PER_BLOCK = 1_000_000_000n

export const emptyState = (): Overlay => new Overlay(new LatestState(openMemoryStore(), 10_000))

/** One second a block, from 1970 on. */
export const timeAt = (height: number): bigint => BigInt(height) * NS_PER_BLOCK

export interface Block {
  readonly lastCommit?: readonly CommitVote[]
  readonly misbehavior?: readonly Misbehavior[]
  readonly timeNs?: bigint
}

/** The context of a block, and the events that it collects. */
export const makeBlock = (state: Overlay, height: number, block: Block = {}): [BlockContext, Event[]] => {
  const events: Event[] = []
  const context = {
    state,
    height,
    timeNs: timeAt(height),
    chainId: CHAIN_ID,
    proposerAddress: EMPTY_BYTES,
    lastCommit: [],
    misbehavior: [],
    ...block,
    emit: (event: Event) => void events.push(event),
  }
  return [context, events]
}

/** Runs the beginning of a block. */
export const beginBlock = (
  module: ModuleParts,
  state: Overlay,
  height: number,
  block: Block = {},
): readonly Event[] => {
  const [context, events] = makeBlock(state, height, block)
  module.hooks?.beginBlock?.run(context)
  return events
}

/** Checks and executes a message as a transaction does. */
export const runMessage = <Message extends DescMessage>(
  module: ModuleParts,
  state: Overlay,
  height: number,
  type: Message,
  message: MessageInitShape<Message>,
  timeNs = timeAt(height),
): readonly Event[] => {
  const handler = module.messages.find(({ typeUrl }) => typeUrl === `/${type.typeName}`)
  invariant(handler !== undefined, `no handler of ${type.typeName}`)
  const decoded = handler.decode(toBinary(type, create(type, message)))
  const prepared = handler.prepare(decoded)
  const [block, events] = makeBlock(state, height, { timeNs })
  const context: MessageContext = { ...block, consumeGas: () => undefined }
  handler.execute(context, prepared)
  return events
}

export const ask = <Input extends DescMessage, Output extends DescMessage>(
  module: ModuleParts,
  state: StateReader,
  height: number,
  { parent, name, input, output }: { parent: { typeName: string }; name: string; input: Input; output: Output },
  request: MessageInitShape<Input>,
): MessageShape<Output> => {
  const handler = module.queries.find(({ path }) => path === `/${parent.typeName}/${name}`)
  invariant(handler !== undefined, `no handler of ${name}`)
  const bytes = handler.query({ state, height, chainId: CHAIN_ID }, toBinary(input, create(input, request)))
  return fromBinary(output, bytes)
}

/** Codespace, code and message of what a call throws. */
export const refusal = (call: () => unknown): readonly [codespace: string, code: number, message: string] => {
  try {
    call()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return [error.codespace, error.code, error.message]
  }
  throw new CodedError('test', 1, 'nothing was refused')
}

/** What the exporter writes: iterables become lists. */
const materialize = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(materialize)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, materialize(member)]))
}

export const exportGenesis = (module: ModuleParts, state: StateReader, height: number): unknown =>
  JSON.parse(JSON.stringify(materialize(module.exportGenesis({ state, height, chainId: CHAIN_ID }))))

/** A new state that begins with a genesis. */
export const initState = (module: ModuleParts, genesis: unknown, height = 0): Overlay => {
  const state = emptyState()
  module.initGenesis(makeBlock(state, height)[0], genesis)
  return state
}

/** All values of a module, in hexadecimal digits. */
export const dump = (state: StateReader, system: Address): readonly string[] =>
  state.values(system, EMPTY_BYTES, 1_000_000).map(([key, value]) => `${bytesToHex(key)} ${bytesToHex(value)}`)

/** What the invariants find. */
export const brokenInvariants = (module: ModuleParts, state: StateReader, height: number): readonly string[] =>
  module.invariants.flatMap(({ check }) => check({ state, height, chainId: CHAIN_ID }) ?? [])

export const shown = (events: readonly Event[]): readonly string[] =>
  events.map(({ type, attributes }) => `${type}(${attributes.map(({ key, value }) => `${key}=${value}`).join(', ')})`)

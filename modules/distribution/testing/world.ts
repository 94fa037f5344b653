/** For tests: a chain of distribution, the bank and a fake staking. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { type Address, FEE_COLLECTOR_ADDRESS } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { createLedger, readBalances } from '../../bank/index.ts'
import type { CommitVote, Event } from '../../module.ts'
import { distributionModule, DISTRIBUTION_ADDRESS } from '../index.ts'
import { consensusOf, FakeStaking, operatorOf } from './fake-staking.ts'

export const GIVER: Address = new Uint8Array(20).fill(0xee)

export const makeWorld = (genesis: unknown = {}) => {
  const state = new Overlay(new LatestState(openMemoryStore(), 10_000))
  const blocked = new Set([bytesToKey(DISTRIBUTION_ADDRESS), bytesToKey(FEE_COLLECTOR_ADDRESS)])
  const ledger = createLedger({ isBlockedReceiver: (address) => blocked.has(bytesToKey(address)) })
  const stake = new FakeStaking()
  const otherFees = () => readBalances(state, FEE_COLLECTOR_ADDRESS, 100).filter(({ denom }) => denom !== DENOMINATION)
  const module = distributionModule.create({ ledger, stake, feeCollector: FEE_COLLECTOR_ADDRESS, otherFees })
  stake.hooks = module.hooks.staking
  const events: Event[] = []
  const block = { height: 0 }
  const quiet = { state, emit: () => undefined }
  const context = {
    state,
    timeNs: 0n,
    chainId: 'test',
    get height() {
      return block.height
    },
    emit: (event: Event) => void events.push(event),
    gas: 0n,
    consumeGas(amount: bigint) {
      context.gas += amount
    },
  }
  const start = (value: unknown) => module.initGenesis({ ...context, height: 0 }, value)
  start(genesis)

  const run = <Input extends DescMessage, Output extends DescMessage>(
    { input, output }: DescMethodUnary<Input, Output>,
    value: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const handler = module.messages.find(({ typeUrl }) => typeUrl === `/${input.typeName}`)
    if (handler === undefined) throw new RangeError(`no handler of ${input.typeName}`)
    const message = handler.decode(toBinary(input, create(input, value)))
    const prepared = handler.prepare(message)
    state.checkpoint()
    try {
      const answer = fromBinary(output, handler.execute(context, prepared))
      state.commit()
      return answer
    } catch (error) {
      state.revert()
      throw error
    }
  }

  const ask = <Input extends DescMessage, Output extends DescMessage>(
    { name, parent, input, output }: DescMethodUnary<Input, Output>,
    value: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const handler = module.queries.find(({ path }) => path === `/${parent.typeName}/${name}`)
    if (handler === undefined) throw new RangeError(`no handler of ${name}`)
    return fromBinary(output, handler.query(context, toBinary(input, create(input, value))))
  }

  return {
    state,
    ledger,
    stake,
    module,
    events,
    context,
    run,
    ask,
    blocked,
    start,
    /** Later in the same or a later block. */
    pass: (blocks = 1) => {
      block.height += blocks
    },
    give: (to: Address, amount: bigint, denom = DENOMINATION) => ledger.mint(quiet, to, [{ denom, amount }]),
    /** A block in whose last one `fees` were paid. */
    beginBlock: (fees: bigint, lastCommit: readonly CommitVote[]) => {
      block.height++
      if (fees > 0n) ledger.mint(quiet, FEE_COLLECTOR_ADDRESS, [{ denom: DENOMINATION, amount: fees }])
      const blockContext = { state, emit: context.emit, height: block.height, timeNs: 0n, chainId: 'test', lastCommit }
      module.hooks?.beginBlock?.run({ ...blockContext, proposerAddress: new Uint8Array(20), misbehavior: [] })
    },
    values: () => state.values(DISTRIBUTION_ADDRESS, new Uint8Array(0), 100_000),
    /** What an invariant has to say. */
    faults: () =>
      module.invariants.flatMap(({ name, check }) => {
        const fault = check(context)
        return fault === undefined ? [] : [`${name}: ${fault}`]
      }),
    createValidator: (number: number, tokens: bigint, rate: Decimal) =>
      stake.createValidator({ ...context, height: block.height }, number, tokens, rate),
  }
}

export type World = ReturnType<typeof makeWorld>

export const vote = (number: number, power: bigint, flag: CommitVote['flag'] = 'commit'): CommitVote => ({
  validatorAddress: consensusOf(number),
  power,
  flag,
})

/** JSON of an export, whose long lists are iterables. */
export const plainJson = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(plainJson)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainJson(member)]))
}

export const operators = (count: number): readonly Address[] =>
  Array.from({ length: count }, (_, index) => operatorOf(index))

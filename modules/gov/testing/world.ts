/** For tests: governance over an in-memory state with the real bank and a stake that the test sets. */
import {
  create,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { type Address, moduleAddress } from '../../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToKey, keyToBytes } from '../../../core/bytes.ts'
import { type Decimal, multiply, toDecimal } from '../../../core/decimal.ts'
import { CodedError, invariant } from '../../../core/errors.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import type { KeyValueStore } from '../../../store/store.ts'
import { accountKey, valueKey } from '../../../store/keys.ts'
import { encodeAccount } from '../../../store/account-codec.ts'
import { bankModule, createLedger, mint } from '../../bank/index.ts'
import type { EndBlockContext, Event, MessageContext, ModuleParts } from '../../module.ts'
import type { DelegationView, ValidatorView } from '../../stake.ts'
import type { GovDependencies, PackedMessage } from '../deps.ts'
import { govModule, type GovParts } from '../module.ts'

export const account = (number: number): Address =>
  Uint8Array.from({ length: 20 }, (_, index) => (index === 0 ? number >> 8 : index === 1 ? number & 0xff : 0x11))
export const name = (number: number): string => encodeBech32(account(number))
export const GOV = encodeBech32(moduleAddress('gov'))

const BLOCKED = moduleAddress('bonded_tokens_pool')
const POOL = moduleAddress('distribution')

type DelegationHook =
  | 'beforeDelegationCreated'
  | 'beforeDelegationSharesModified'
  | 'beforeDelegationRemoved'
  | 'afterDelegationModified'

/** Validators and delegations in plain maps. Shares are tokens until a test says otherwise. */
export class FakeStake {
  readonly views = new Map<string, ValidatorView>()
  readonly delegations = new Map<string, DelegationView[]>()
  /** Set by the world that listens. */
  tell: (hook: DelegationHook, delegator: Address, operator: Address) => void = () => undefined

  /** Bonded, with a delegation of its own. */
  validator(operator: Address, tokens: bigint): void {
    this.views.set(bytesToKey(operator), {
      operator,
      consensusAddress: operator,
      publicKey: new Uint8Array(32),
      status: 'bonded',
      isJailed: false,
      tokens: 0n,
      shares: 0n,
      commissionRate: 0n,
      minSelfDelegation: 1n,
    })
    if (tokens > 0n) this.delegate(operator, operator, tokens)
  }

  change(operator: Address, changes: Partial<ValidatorView>): void {
    const view = this.views.get(bytesToKey(operator))
    invariant(view !== undefined, 'the validator is known')
    this.views.set(bytesToKey(operator), { ...view, ...changes })
  }

  delegate(delegator: Address, operator: Address, tokens: bigint): void {
    const view = this.views.get(bytesToKey(operator))
    invariant(view !== undefined, 'the validator is known')
    const shares = view.tokens === 0n ? toDecimal(tokens) : (view.shares * tokens) / view.tokens
    this.#add(delegator, operator, shares)
    this.change(operator, { tokens: view.tokens + tokens, shares: view.shares + shares })
  }

  /** `part` of it, from 0 to 1. */
  undelegate(delegator: Address, operator: Address, part: Decimal): void {
    const view = this.views.get(bytesToKey(operator))
    const shares = multiply(this.delegation(delegator, operator)?.shares ?? 0n, part)
    invariant(view !== undefined, 'the validator is known')
    if (shares === 0n) return
    this.#add(delegator, operator, -shares)
    const tokens = (view.tokens * shares) / view.shares
    this.change(operator, { tokens: view.tokens - tokens, shares: view.shares - shares })
  }

  delegation(delegator: Address, operator: Address): DelegationView | undefined {
    return this.delegations
      .get(bytesToKey(delegator))
      ?.find((each) => bytesToKey(each.operator) === bytesToKey(operator))
  }

  /** Adds shares and calls the hooks of staking, in its order. */
  #add(delegator: Address, operator: Address, shares: Decimal): void {
    const held = this.delegation(delegator, operator)
    this.tell(held === undefined ? 'beforeDelegationCreated' : 'beforeDelegationSharesModified', delegator, operator)
    const rest = (this.delegations.get(bytesToKey(delegator)) ?? []).filter((each) => each !== held)
    const after = { delegator, operator, shares: (held?.shares ?? 0n) + shares }
    const removed = after.shares === 0n
    if (removed) this.tell('beforeDelegationRemoved', delegator, operator)
    this.delegations.set(bytesToKey(delegator), removed ? rest : [...rest, after])
    if (!removed) this.tell('afterDelegationModified', delegator, operator)
  }

  get port(): GovDependencies['stake'] {
    return {
      bondedValidators: () =>
        [...this.views.values()].filter(({ status, isJailed }) => status === 'bonded' && !isJailed),
      delegation: (_, delegator, operator) => this.delegation(delegator, operator),
      delegationsOf: (_, delegator) => this.delegations.get(bytesToKey(delegator)) ?? [],
    }
  }
}

export interface World {
  readonly store: KeyValueStore
  state: Overlay
  readonly stake: FakeStake
  readonly dependencies: GovDependencies
  readonly module: ModuleParts
  /** The events of the last message or block. */
  events: Event[]
  gas: bigint
  timeNs: bigint
}

/** The codespace, code and words of the CodedError that a call throws; undefined when it throws none. */
export const refusal = (call: () => unknown): readonly [string, number, string] | undefined => {
  try {
    call()
    return undefined
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return [error.codespace, error.code, error.message]
  }
}

/** The one field that names the signer of the messages that these tests use. */
const SIGNER_FIELDS = ['authority', 'fromAddress', 'proposer', 'voter', 'depositor'] as const

const signerOf = (message: unknown): Address => {
  for (const field of SIGNER_FIELDS) {
    const value = (message as Record<string, unknown>)[field]
    if (typeof value === 'string') return parseAccountAddress(value)
  }
  throw new CodedError('sdk', 2, 'no signer')
}

export const makeWorld = (
  genesis: unknown = {},
  balances: readonly (readonly [Address, bigint, string?])[] = [],
  stake = new FakeStake(),
): World => {
  const store = openMemoryStore()
  const state = new Overlay(new LatestState(store, 1_000))
  const isBlockedReceiver = (address: Address): boolean => bytesToKey(address) === bytesToKey(BLOCKED)
  const bank = bankModule.create({ accounts: () => [], isBlockedReceiver })
  const ledger = createLedger({ isBlockedReceiver })
  const dependencies: GovDependencies = {
    ledger,
    stake: stake.port,
    fundCommunityPool: (context, from, coins) => ledger.send(context, from, POOL, coins),
    prepareMessage: ({ typeUrl, value }: PackedMessage) => {
      const handler = [...bank.messages, ...module.messages].find((each) => each.typeUrl === typeUrl)
      if (handler === undefined) throw new CodedError('sdk', 2, `unable to resolve type URL ${typeUrl}`)
      const message = handler.decode(value)
      return {
        signers: [signerOf(message)],
        checkStateless: () => void handler.prepare(message),
        execute: (context) => handler.execute(context, handler.prepare(message)),
      }
    },
  }
  const module: GovParts = govModule.create(dependencies)
  for (const [address, amount, denom = 'anat'] of balances) mint(state, address, { denom, amount })
  const world = { store, state, stake, dependencies, module, events: [], gas: 0n, timeNs: 1_700_000_000_000_000_000n }
  stake.tell = (hook, delegator, operator) => module.hooks.staking[hook]?.(contextOf(world), delegator, operator)
  module.initGenesis(contextOf(world), genesis)
  return world
}

const contextOf = (world: World): MessageContext => ({
  state: world.state,
  height: 7,
  timeNs: world.timeNs,
  chainId: 'test',
  emit: (event) => void world.events.push(event),
  consumeGas: (amount) => {
    world.gas += amount
  },
})

/** Checks and executes a message as a transaction does: all of it or nothing. Returns the response. */
export const run = <Method extends DescMethodUnary>(
  world: World,
  method: Method,
  message: MessageInitShape<Method['input']>,
): MessageShape<Method['output']> => {
  const handler = world.module.messages.find(({ typeUrl }) => typeUrl === `/${method.input.typeName}`)
  invariant(handler !== undefined, 'the message has a handler')
  const prepared = handler.prepare(handler.decode(toBinary(method.input, create(method.input, message))))
  const before = world.events
  world.events = []
  world.state.checkpoint()
  try {
    const response = handler.execute(contextOf(world), prepared)
    world.state.commit()
    return fromBinary(method.output, response) as MessageShape<Method['output']>
  } catch (error) {
    world.state.revert()
    world.events = before
    throw error
  }
}

export const ask = <Method extends DescMethodUnary>(
  { module, state }: World,
  method: Method,
  request: MessageInitShape<Method['input']>,
): MessageShape<Method['output']> => {
  const handler = module.queries.find(({ path }) => path === `/${method.parent.typeName}/${method.name}`)
  invariant(handler !== undefined, 'the query has a handler')
  const bytes = toBinary(method.input, create(method.input, request))
  const answer = handler.query({ state, height: 7, chainId: 'test' }, bytes)
  return fromBinary(method.output, answer) as MessageShape<Method['output']>
}

/** Writes what the running block wrote to the store, without roots: the next one reads it from there. */
export const commitBlock = (world: World): void => {
  const { accounts, values } = world.state.changes()
  const batch = world.store.batch()
  for (const [address, state] of accounts) {
    if (state === undefined) batch.delete('state', accountKey(keyToBytes(address)))
    else batch.put('state', accountKey(keyToBytes(address)), encodeAccount(state))
  }
  for (const [system, written] of values) {
    for (const [key, value] of written) {
      const at = valueKey(keyToBytes(system), keyToBytes(key))
      if (value === undefined) batch.delete('state', at)
      else batch.put('state', at, value)
    }
  }
  world.store.write(batch, { sync: false })
  world.state = new Overlay(new LatestState(world.store, 1_000))
}

/** Ends a block after `ns` nanoseconds. */
export const endBlockAfter = (world: World, ns: bigint): void => {
  world.timeNs += ns
  world.events = []
  const block = {
    proposerAddress: new Uint8Array(20),
    lastCommit: [],
    misbehavior: [],
    pricedGas: 0n,
    gasLimit: 30_000_000n,
  }
  const context: EndBlockContext = { ...contextOf(world), ...block }
  world.module.hooks?.endBlock?.run(context)
}

/** What is broken, by name. */
export const faults = ({ module, state }: World): readonly string[] =>
  module.invariants.flatMap(({ name: title, check }) => {
    const fault = check({ state, height: 7, chainId: 'test' })
    return fault === undefined ? [] : [`${title}: ${fault}`]
  })

export const pack = <Method extends DescMethodUnary>(
  method: Method,
  message: MessageInitShape<Method['input']>,
): PackedMessage => ({
  typeUrl: `/${method.input.typeName}`,
  value: toBinary(method.input, create(method.input, message)),
})

/** Such as `proposal_deposit(depositor, amount, proposal_id)`. */
export const eventShapes = ({ events }: World): readonly string[] =>
  events.map(({ type, attributes }) => `${type}(${attributes.map(({ key }) => key).join(', ')})`)

export const attribute = ({ events }: World, type: string, key: string): string | undefined =>
  events.findLast((event) => event.type === type)?.attributes.find((each) => each.key === key)?.value

/** For tests: the staking module over the real ledger and a state in memory, block by block. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Address } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import { testConsensusKey } from '../../../core/testing/consensus-key.ts'
import { NS_PER_SECOND } from '../../../core/time.ts'
import { stakingTx } from '../../../proto/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { createLedger, mint } from '../../bank/index.ts'
import type { EndBlockContext, Event, ModuleContext, ModuleParts, QueryContext, ValidatorUpdate } from '../../module.ts'
import type { StakePunisher, StakeReader, StakingHooks } from '../../stake.ts'
import { formatOperator } from '../../validator-addresses.ts'
import { BONDED_POOL_ADDRESS, stakingModule, genesisValidator, NOT_BONDED_POOL_ADDRESS } from '../index.ts'
import type { StakingPorts } from '../deps.ts'
import { createStake } from '../stake.ts'
import { type Validator } from '../validator.ts'
import { existingValidator } from '../keeper/validators.ts'

export const NAT = 10n ** 18n
export const FIRST_TIME_NS = 1_700_000_000n * NS_PER_SECOND

/** Accounts and operators by number. */
export const account = (number: number): Address => sha256(Uint8Array.of(1, number >> 8, number & 255)).slice(0, 20)
/** The key of an operator. */
export const keyOf = (number: number): Uint8Array => testConsensusKey(`operator ${number}`)
export const accountText = (number: number): string => encodeBech32(account(number))
export const operatorText = (number: number): string => formatOperator(account(number))
export const coin = (amount: bigint, denom = DENOMINATION) => ({ denom, amount: amount.toString() })

export const freshState = (): Overlay => new Overlay(new LatestState(openMemoryStore(), 100_000))

/** The `codespace/code` of what a call throws, or `ok`. */
export const codeOf = (call: () => unknown): string => {
  try {
    call()
    return 'ok'
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return `${error.codespace}/${error.code}`
  }
}

/** Notes every hook by name and arguments, the first bytes of addresses. */
const listen = (calls: string[]): StakingHooks =>
  new Proxy<StakingHooks>(
    {},
    {
      get:
        (_, name) =>
        (_context: ModuleContext, ...args: unknown[]) => {
          const texts = args.map((arg) =>
            arg instanceof Uint8Array ? Buffer.from(arg.slice(0, 3)).toString('hex') : String(arg),
          )
          calls.push([String(name), ...texts].join(' '))
        },
    },
  )

export class World {
  readonly state: Overlay
  readonly module: ModuleParts
  readonly stake: StakeReader & StakePunisher
  readonly hookCalls: string[] = []
  events: Event[] = []
  height = 1
  timeNs = FIRST_TIME_NS
  admitted = true

  constructor(state: Overlay = freshState()) {
    this.state = state
    const hooks = [listen(this.hookCalls)]
    const ports: StakingPorts = { ledger: createLedger({ isBlockedReceiver: () => false }), stakingHooks: () => hooks }
    this.stake = createStake(ports)
    this.module = stakingModule.create({
      ...ports,
      maxValidatorsFault: (_, most) => (most > 900 ? 'too many' : undefined),
      mayCreateValidator: () => this.admitted,
      admissionRefusal: 'governance must approve the operator first',
    })
  }

  /** A new chain: bonded validators with these powers, operated by accounts 0, 1, ... */
  static start(powers: readonly bigint[], params: Record<string, unknown> = {}): World {
    const world = new World()
    const made = powers.map((power, number) =>
      genesisValidator({
        operator: account(number),
        publicKey: keyOf(number),
        tokens: power * NAT,
        moniker: `v${number}`,
      }),
    )
    const sum = powers.reduce((total, power) => total + power, 0n) * NAT
    world.fund(BONDED_POOL_ADDRESS, sum)
    world.module.initGenesis(world.context(), {
      params,
      validators: made.map(({ validator }) => validator),
      delegations: made.map(({ delegation }) => delegation),
    })
    return world
  }

  context(): EndBlockContext {
    const { state, height, timeNs } = this
    return {
      state,
      height,
      timeNs,
      chainId: 'nat-2519-1',
      emit: (event) => void this.events.push(event),
      proposerAddress: new Uint8Array(20),
      lastCommit: [],
      misbehavior: [],
      pricedGas: 0n,
      gasLimit: 1_000_000_000n,
    }
  }

  fund(address: Address, amount: bigint): void {
    mint(this.state, address, { denom: DENOMINATION, amount })
  }

  /** Funds the pools as a bank's part of a genesis does. */
  fundPools({ bonded, notBonded }: { readonly bonded: bigint; readonly notBonded: bigint }): void {
    this.fund(BONDED_POOL_ADDRESS, bonded)
    this.fund(NOT_BONDED_POOL_ADDRESS, notBonded)
  }

  balance(address: Address): bigint {
    return this.state.account(address)?.balance ?? 0n
  }

  get pools(): { readonly bonded: bigint; readonly notBonded: bigint } {
    return { bonded: this.balance(BONDED_POOL_ADDRESS), notBonded: this.balance(NOT_BONDED_POOL_ADDRESS) }
  }

  validator(number: number): Validator {
    return existingValidator(this.state, account(number))
  }

  /** Runs a message as a block does: what a refused one wrote and emitted is undone. */
  send<Input extends DescMessage, Output extends DescMessage>(
    method: { readonly input: Input; readonly output: Output },
    message: MessageInitShape<Input>,
  ): MessageShape<Output> {
    const handler = this.module.messages.find(({ typeUrl }) => typeUrl === `/${method.input.typeName}`)
    if (handler === undefined) throw new TypeError(`no handler of ${method.input.typeName}`)
    const decoded = handler.decode(toBinary(method.input, create(method.input, message)))
    const prepared = handler.prepare(decoded)
    const before = this.events.length
    this.state.checkpoint()
    try {
      const bytes = handler.execute({ ...this.context(), consumeGas: () => undefined }, prepared)
      this.state.commit()
      return fromBinary(method.output, bytes)
    } catch (error) {
      this.state.revert()
      this.events.length = before
      throw error
    }
  }

  query<Input extends DescMessage, Output extends DescMessage>(
    method: { readonly name: string; readonly input: Input; readonly output: Output },
    request: MessageInitShape<Input>,
  ): MessageShape<Output> {
    const handler = this.module.queries.find(({ path }) => path.endsWith(`/${method.name}`))
    if (handler === undefined) throw new TypeError(`no handler of ${method.name}`)
    return fromBinary(
      method.output,
      handler.query(this.queryContext(), toBinary(method.input, create(method.input, request))),
    )
  }

  queryContext(): QueryContext {
    return { state: this.state, height: this.height, chainId: 'nat-2519-1' }
  }

  delegate(delegator: number, operator: number, amount: bigint): void {
    this.send(stakingTx.Msg.method.delegate, {
      delegatorAddress: accountText(delegator),
      validatorAddress: operatorText(operator),
      amount: coin(amount),
    })
  }

  undelegate(delegator: number, operator: number, amount: bigint): stakingTx.MsgUndelegateResponse {
    return this.send(stakingTx.Msg.method.undelegate, {
      delegatorAddress: accountText(delegator),
      validatorAddress: operatorText(operator),
      amount: coin(amount),
    })
  }

  redelegate(
    delegator: number,
    source: number,
    destination: number,
    amount: bigint,
  ): stakingTx.MsgBeginRedelegateResponse {
    return this.send(stakingTx.Msg.method.beginRedelegate, {
      delegatorAddress: accountText(delegator),
      validatorSrcAddress: operatorText(source),
      validatorDstAddress: operatorText(destination),
      amount: coin(amount),
    })
  }

  cancel(delegator: number, operator: number, amount: bigint, creationHeight: number): void {
    this.send(stakingTx.Msg.method.cancelUnbondingDelegation, {
      delegatorAddress: accountText(delegator),
      validatorAddress: operatorText(operator),
      amount: coin(amount),
      creationHeight: BigInt(creationHeight),
    })
  }

  createValidator(number: number, tokens: bigint, more: Record<string, unknown> = {}): void {
    const message = { ...createValidatorMessage(number, tokens), ...more }
    this.send(
      stakingTx.Msg.method.createValidator,
      message as MessageInitShape<typeof stakingTx.MsgCreateValidatorSchema>,
    )
  }

  /** Ends the block, and begins the next one `seconds` later. */
  endBlock(seconds = 1n): readonly ValidatorUpdate[] {
    const updates = this.module.hooks?.endBlock?.run(this.context()) ?? []
    this.height++
    this.timeNs += seconds * NS_PER_SECOND
    return updates
  }

  /** What an invariant finds wrong. */
  faults(): readonly string[] {
    return this.module.invariants.flatMap(({ name, check }) => {
      const fault = check(this.queryContext())
      return fault === undefined ? [] : [`${name}: ${fault}`]
    })
  }

  /** Every key and value of staking. */
  dump(system: Address): readonly (readonly [string, string])[] {
    return this.state
      .values(system, new Uint8Array(0), 1_000_000)
      .map(([key, value]) => [Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')] as const)
  }
}

export const createValidatorMessage = (
  number: number,
  tokens: bigint,
): MessageInitShape<typeof stakingTx.MsgCreateValidatorSchema> => ({
  description: { moniker: `v${number}` },
  commission: { rate: `${NAT / 10n}`, maxRate: `${NAT / 5n}`, maxChangeRate: `${NAT / 100n}` },
  minSelfDelegation: '1',
  validatorAddress: operatorText(number),
  pubkey: {
    typeUrl: '/cosmos.crypto.ed25519.PubKey',
    value: Uint8Array.of(10, 32, ...keyOf(number)),
  },
  value: coin(tokens),
})

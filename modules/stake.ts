/** The port between staking and the modules around it: what they may read and do, and what it tells them. */
import type { Address } from '../core/address.ts'
import type { Decimal } from '../core/decimal.ts'
import type { StateReader } from '../store/state.ts'
import type { ModuleContext } from './module.ts'

export interface ValidatorView {
  readonly operator: Address
  /** CometBFT's address of its key, 20 bytes. */
  readonly consensusAddress: Uint8Array
  /** ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly status: 'unbonded' | 'unbonding' | 'bonded'
  readonly isJailed: boolean
  /** The tokens of all delegations together, in anat. */
  readonly tokens: bigint
  readonly shares: Decimal
  readonly commissionRate: Decimal
  readonly minSelfDelegation: bigint
}

export interface DelegationView {
  readonly delegator: Address
  readonly operator: Address
  readonly shares: Decimal
}

export interface StakeReader {
  bondDenomination(state: StateReader): string
  /** Nanoseconds. */
  unbondingTimeNs(state: StateReader): bigint
  maxValidators(state: StateReader): number
  validator(state: StateReader, operator: Address): ValidatorView | undefined
  /** Also of a validator that is no longer bonded, as long as it exists. */
  validatorByConsensusAddress(state: StateReader, consensusAddress: Uint8Array): ValidatorView | undefined
  /** All of them in the order of operators. */
  validators(state: StateReader): Iterable<ValidatorView>
  /** Those that vote, by falling power. */
  bondedValidators(state: StateReader): Iterable<ValidatorView>
  totalBondedTokens(state: StateReader): bigint
  delegation(state: StateReader, delegator: Address, operator: Address): DelegationView | undefined
  delegationsOf(state: StateReader, delegator: Address): Iterable<DelegationView>
  delegationsTo(state: StateReader, operator: Address): Iterable<DelegationView>
}

/** anat of one unit of CometBFT's voting power (the SDK's PowerReduction for 18 decimals). */
export const POWER_REDUCTION = 10n ** 18n

export interface StakePunisher {
  /**
   * Takes `fraction` of what stood behind the validator at `infractionHeight`, when it had `power`; unbonding delegations and
   * redelegations that began since then pay their part. Burns it, and returns how much. Nothing for an unknown validator.
   */
  slash(
    context: ModuleContext,
    consensusAddress: Uint8Array,
    infractionHeight: number,
    power: bigint,
    fraction: Decimal,
  ): bigint
  /** It leaves CometBFT's set at the end of the block. It is not jailed yet. */
  jail(context: ModuleContext, consensusAddress: Uint8Array): void
  /** It is jailed. */
  unjail(context: ModuleContext, consensusAddress: Uint8Array): void
}

/**
 * The hooks of the SDK's StakingHooks. `before...` sees the state as it was. All run in the order in which they are
 * listed by `app`.
 */
export interface StakingHooks {
  afterValidatorCreated?(context: ModuleContext, operator: Address): void
  /** Called before its description, commission or minimum changes. */
  beforeValidatorModified?(context: ModuleContext, operator: Address): void
  /** The validator is gone from the state of staking. */
  afterValidatorRemoved?(context: ModuleContext, consensusAddress: Uint8Array, operator: Address): void
  afterValidatorBonded?(context: ModuleContext, consensusAddress: Uint8Array, operator: Address): void
  afterValidatorBeginUnbonding?(context: ModuleContext, consensusAddress: Uint8Array, operator: Address): void
  beforeValidatorSlashed?(context: ModuleContext, operator: Address, fraction: Decimal): void
  beforeDelegationCreated?(context: ModuleContext, delegator: Address, operator: Address): void
  beforeDelegationSharesModified?(context: ModuleContext, delegator: Address, operator: Address): void
  beforeDelegationRemoved?(context: ModuleContext, delegator: Address, operator: Address): void
  afterDelegationModified?(context: ModuleContext, delegator: Address, operator: Address): void
}

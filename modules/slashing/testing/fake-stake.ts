/** Staking for tests of slashing and evidence: validators in a list, with a record of what was done to them. */
import type { Address } from '../../../core/address.ts'
import { type Decimal, toDecimal, truncate } from '../../../core/decimal.ts'
import { bytesToKey, equalBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader } from '../../../store/state.ts'
import type { ModuleContext } from '../../module.ts'
import { type DelegationView, POWER_REDUCTION, type StakePunisher, type ValidatorView } from '../../stake.ts'
import { consensusAddressOf } from '../../validator-addresses.ts'

interface Slash {
  readonly consensusAddress: Uint8Array
  readonly infractionHeight: number
  readonly power: bigint
  readonly fraction: Decimal
}

export const operatorOf = (byte: number): Address => new Uint8Array(20).fill(byte)

/** A bonded validator of a power of 100, all of it its own. */
export const makeValidator = (byte: number, changes: Partial<ValidatorView> = {}): ValidatorView => {
  const publicKey = new Uint8Array(32).fill(byte)
  return {
    operator: operatorOf(byte),
    consensusAddress: consensusAddressOf(publicKey),
    publicKey,
    status: 'bonded',
    isJailed: false,
    tokens: 100n * POWER_REDUCTION,
    shares: toDecimal(100n * POWER_REDUCTION),
    commissionRate: 0n,
    minSelfDelegation: 1n,
    ...changes,
  }
}

export class FakeStake implements StakePunisher {
  readonly #validators = new Map<string, ValidatorView>()
  /** What each operator holds of its own validator. */
  readonly #own = new Map<string, Decimal>()
  readonly slashes: Slash[] = []

  put(validator: ValidatorView, ownShares: Decimal | undefined = validator.shares): void {
    this.#validators.set(bytesToKey(validator.operator), validator)
    if (ownShares === undefined) this.#own.delete(bytesToKey(validator.operator))
    else this.#own.set(bytesToKey(validator.operator), ownShares)
  }

  /** Puts a validator without a delegation of its own. */
  putWithoutOwn(validator: ValidatorView): void {
    this.#validators.set(bytesToKey(validator.operator), validator)
    this.#own.delete(bytesToKey(validator.operator))
  }

  validator(_: StateReader, operator: Address): ValidatorView | undefined {
    return this.#validators.get(bytesToKey(operator))
  }

  validatorByConsensusAddress(_: StateReader, address: Uint8Array): ValidatorView | undefined {
    for (const validator of this.#validators.values()) {
      if (equalBytes(validator.consensusAddress, address)) return validator
    }
    return undefined
  }

  bondedValidators(): readonly ValidatorView[] {
    return [...this.#validators.values()].filter(({ status }) => status === 'bonded')
  }

  delegation(_: StateReader, delegator: Address, operator: Address): DelegationView | undefined {
    const shares = this.#own.get(bytesToKey(operator))
    return shares === undefined || !equalBytes(delegator, operator) ? undefined : { delegator, operator, shares }
  }

  slash(
    { state }: ModuleContext,
    consensusAddress: Uint8Array,
    infractionHeight: number,
    power: bigint,
    fraction: Decimal,
  ): bigint {
    this.slashes.push({ consensusAddress, infractionHeight, power, fraction })
    const validator = this.validatorByConsensusAddress(state, consensusAddress)
    const burned = truncate(power * POWER_REDUCTION * fraction)
    if (validator !== undefined) this.#change(validator, { tokens: validator.tokens - burned })
    return burned
  }

  jail({ state }: ModuleContext, consensusAddress: Uint8Array): void {
    this.#setJailed(state, consensusAddress, true)
  }

  unjail({ state }: ModuleContext, consensusAddress: Uint8Array): void {
    this.#setJailed(state, consensusAddress, false)
  }

  #setJailed(state: StateReader, consensusAddress: Uint8Array, isJailed: boolean): void {
    const validator = this.validatorByConsensusAddress(state, consensusAddress)
    invariant(validator !== undefined && validator.isJailed !== isJailed, 'jail and unjail change something')
    this.#change(validator, { isJailed, status: isJailed ? 'unbonding' : 'bonded' })
  }

  #change(validator: ValidatorView, changes: Partial<ValidatorView>): void {
    this.#validators.set(bytesToKey(validator.operator), { ...validator, ...changes })
  }
}

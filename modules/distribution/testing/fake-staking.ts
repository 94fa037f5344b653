/** For tests: staking as far as rewards can see it, with the hooks called where x/staking calls them. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import { type Decimal, divideRoundUp, multiply, ONE, toDecimal, truncate } from '../../../core/decimal.ts'
import type { ModuleContext } from '../../module.ts'
import { type DelegationView, type StakeReader, type StakingHooks, type ValidatorView } from '../../stake.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

const testAddress = (kind: number, number: number): Address =>
  Uint8Array.from({ length: 20 }, (_, index) =>
    index === 0 ? kind : index > 16 ? (number >> (8 * (19 - index))) & 255 : 7,
  )

export const operatorOf = (number: number): Address => testAddress(1, number)
export const consensusOf = (number: number): Uint8Array => testAddress(2, number)
export const delegatorOf = (number: number): Address => testAddress(3, number)

export class FakeStaking implements StakeReader {
  readonly #validators = new Map<string, Mutable<ValidatorView>>()
  readonly #delegations = new Map<string, Mutable<DelegationView>>()
  /** Set once the module is there: each needs the other. */
  hooks: StakingHooks = {}

  bondDenomination = () => 'anat'
  unbondingTimeNs = () => 1n
  maxValidators = () => 1_000
  validator = (_: unknown, operator: Address) => this.#validators.get(bytesToKey(operator))
  validatorByConsensusAddress = (_: unknown, address: Uint8Array) =>
    [...this.#validators.values()].find(({ consensusAddress }) => bytesToKey(consensusAddress) === bytesToKey(address))
  validators = () => [...this.#validators.values()]
  bondedValidators = () => [...this.#validators.values()]
  totalBondedTokens = () => [...this.#validators.values()].reduce((sum, { tokens }) => sum + tokens, 0n)
  delegation = (_: unknown, delegator: Address, operator: Address) =>
    this.#delegations.get(bytesToKey(operator) + bytesToKey(delegator))
  delegationsOf = (_: unknown, delegator: Address) =>
    [...this.#delegations.values()].filter((each) => bytesToKey(each.delegator) === bytesToKey(delegator))
  delegationsTo = (_: unknown, operator: Address) =>
    [...this.#delegations.values()].filter((each) => bytesToKey(each.operator) === bytesToKey(operator))

  /** Creates a validator with a delegation of the operator's own. */
  createValidator(context: ModuleContext, number: number, tokens: bigint, commissionRate: Decimal): Address {
    const operator = operatorOf(number)
    const validator: ValidatorView = {
      operator,
      consensusAddress: consensusOf(number),
      publicKey: new Uint8Array(32).fill(number),
      status: 'bonded',
      isJailed: false,
      tokens: 0n,
      shares: 0n,
      commissionRate,
      minSelfDelegation: 1n,
    }
    this.#validators.set(bytesToKey(operator), validator)
    this.hooks.afterValidatorCreated?.(context, operator)
    this.delegate(context, operator, operator, tokens)
    return operator
  }

  #entry(operator: Address): Mutable<ValidatorView> {
    const validator = this.#validators.get(bytesToKey(operator))
    if (validator === undefined) throw new RangeError('no such validator')
    return validator
  }

  delegate(context: ModuleContext, delegator: Address, operator: Address, amount: bigint): void {
    const validator = this.#entry(operator)
    const key = bytesToKey(operator) + bytesToKey(delegator)
    const existing = this.#delegations.get(key)
    if (existing === undefined) this.hooks.beforeDelegationCreated?.(context, delegator, operator)
    else this.hooks.beforeDelegationSharesModified?.(context, delegator, operator)
    const shares = validator.shares === 0n ? toDecimal(amount) : (validator.shares * amount) / validator.tokens
    validator.tokens += amount
    validator.shares += shares
    this.#delegations.set(key, { delegator, operator, shares: (existing?.shares ?? 0n) + shares })
    this.hooks.afterDelegationModified?.(context, delegator, operator)
  }

  /** Returns what is unbonded. */
  undelegate(context: ModuleContext, delegator: Address, operator: Address, shares: Decimal): bigint {
    const validator = this.#entry(operator)
    const key = bytesToKey(operator) + bytesToKey(delegator)
    const existing = this.#delegations.get(key)
    if (existing === undefined || existing.shares < shares) throw new RangeError('no such delegation')
    this.hooks.beforeDelegationSharesModified?.(context, delegator, operator)
    existing.shares -= shares
    if (existing.shares === 0n) {
      this.hooks.beforeDelegationRemoved?.(context, delegator, operator)
      this.#delegations.delete(key)
    } else this.hooks.afterDelegationModified?.(context, delegator, operator)
    const tokens = shares === validator.shares ? validator.tokens : (shares * validator.tokens) / validator.shares
    validator.shares -= shares
    validator.tokens -= tokens
    return tokens
  }

  /** Slashes as testutil.SlashValidator of x/distribution does. Returns what is burnt. */
  slash(context: ModuleContext, operator: Address, factor: Decimal): bigint {
    const validator = this.#entry(operator)
    this.hooks.beforeValidatorModified?.(context, operator)
    const burnt = truncate(multiply(toDecimal(validator.tokens), factor))
    if (validator.tokens > 0n) {
      const fraction = divideRoundUp(toDecimal(burnt), toDecimal(validator.tokens))
      this.hooks.beforeValidatorSlashed?.(context, operator, fraction > ONE ? ONE : fraction)
    }
    validator.tokens -= burnt
    return burnt
  }

  setCommission(context: ModuleContext, operator: Address, rate: Decimal): void {
    this.hooks.beforeValidatorModified?.(context, operator)
    this.#entry(operator).commissionRate = rate
  }

  /** It has no delegations. */
  remove(context: ModuleContext, operator: Address): void {
    const { consensusAddress } = this.#entry(operator)
    this.#validators.delete(bytesToKey(operator))
    this.hooks.afterValidatorRemoved?.(context, consensusAddress, operator)
  }
}

/**
 * For tests: rewards as x/distribution keeps them, allocated to every voter in every block, with nothing forgotten: all
 * periods, all slashes, plain maps. It knows anat alone, and is written from the formulas, not from the code beside it.
 */
import { bytesToKey } from '../../../core/bytes.ts'
import { type Decimal, ONE } from '../../../core/decimal.ts'
import type { CommitVote } from '../../module.ts'
import type { DelegationView, ValidatorView } from '../../stake.ts'

interface Record {
  /** Earned, and not yet split into commission and rewards. */
  unsplit: Decimal
  commission: Decimal
  current: Decimal
  outstanding: Decimal
  /** Cumulative, by period. */
  readonly ratios: Decimal[]
  readonly slashes: { readonly height: number; readonly period: number; readonly fraction: Decimal }[]
  readonly starts: Map<string, { readonly period: number; readonly stake: Decimal; readonly height: number }>
}

const halfEven = (value: bigint): bigint => {
  const [quotient, twice] = [value / ONE, (value % ONE) * 2n]
  return twice > ONE || (twice === ONE && quotient % 2n === 1n) ? quotient + 1n : quotient
}

export class EagerRewards {
  pool: Decimal = 0n
  readonly #records = new Map<string, Record>()
  #voters = new Map<string, bigint>()
  /**
   * True where commission is split off in every block, as in the SDK, and not only when something touches the
   * validator.
   */
  readonly #splitsEveryBlock: boolean
  /** Finds a validator by consensus address; undefined for one that is gone. */
  readonly #validatorBy: (consensusAddress: Uint8Array) => ValidatorView | undefined

  constructor(validatorBy: (consensusAddress: Uint8Array) => ValidatorView | undefined, splitsEveryBlock: boolean) {
    this.#validatorBy = validatorBy
    this.#splitsEveryBlock = splitsEveryBlock
  }

  #of({ operator }: Pick<ValidatorView, 'operator'>): Record {
    const record = this.#records.get(bytesToKey(operator))
    if (record === undefined) throw new RangeError('no such validator')
    return record
  }

  touch(validator: ValidatorView): Record {
    const record = this.#of(validator)
    const commission = halfEven(record.unsplit * validator.commissionRate)
    record.commission += commission
    record.current += record.unsplit - commission
    record.unsplit = 0n
    return record
  }

  create(validator: ValidatorView): void {
    this.#records.set(bytesToKey(validator.operator), {
      unsplit: 0n,
      commission: 0n,
      current: 0n,
      outstanding: 0n,
      ratios: [0n],
      slashes: [],
      starts: new Map(),
    })
  }

  block(fees: bigint, votes: readonly CommitVote[], tax: Decimal, surplus: bigint): void {
    if (fees === 0n || votes.length === 0) return
    const voters = new Map(votes.map(({ validatorAddress, power }) => [bytesToKey(validatorAddress), power]))
    for (const [key, power] of this.#voters) {
      const validator = this.#validatorBy(Uint8Array.from(key, (char) => char.charCodeAt(0)))
      if (validator !== undefined && voters.get(key) !== power) this.touch(validator)
    }
    this.#voters = voters
    const power = votes.reduce((sum, vote) => sum + vote.power, 0n)
    const perPower = power === 0n ? 0n : (fees * (ONE - tax)) / power
    let left = (fees + surplus) * ONE
    for (const vote of votes) {
      const validator = this.#validatorBy(vote.validatorAddress)
      if (validator === undefined) continue
      const reward = vote.power * perPower
      const record = this.#of(validator)
      record.unsplit += reward
      record.outstanding += reward
      left -= reward
      if (this.#splitsEveryBlock) this.touch(validator)
    }
    this.pool += left
  }

  deposit(validator: ValidatorView, amount: bigint): void {
    const record = this.#of(validator)
    const commission = halfEven(amount * ONE * validator.commissionRate)
    record.commission += commission
    record.current += amount * ONE - commission
    record.outstanding += amount * ONE
  }

  endPeriod(validator: ValidatorView): number {
    const record = this.touch(validator)
    const last = record.ratios.at(-1) ?? 0n
    if (validator.tokens === 0n) {
      this.pool += record.current
      record.outstanding -= record.current
      record.ratios.push(last)
    } else record.ratios.push(last + record.current / validator.tokens)
    record.current = 0n
    return record.ratios.length - 1
  }

  slash(validator: ValidatorView, height: number, fraction: Decimal): void {
    this.#of(validator).slashes.push({ height, period: this.endPeriod(validator), fraction })
  }

  start(validator: ValidatorView, { delegator, shares }: DelegationView, height: number): void {
    const record = this.#of(validator)
    const stake = (shares * validator.tokens * ONE) / validator.shares
    record.starts.set(bytesToKey(delegator), { period: record.ratios.length - 1, stake, height })
  }

  /** Reckons the rewards as of a period that has ended. */
  reckon(validator: ValidatorView, { delegator, shares }: DelegationView, height: number): Decimal {
    const record = this.#of(validator)
    const start = record.starts.get(bytesToKey(delegator))
    if (start === undefined) throw new RangeError('no such delegation')
    if (start.height === height) return 0n
    const ratioAt = (period: number): Decimal => record.ratios[period] ?? 0n
    let { period, stake } = start
    let total = 0n
    for (const slash of record.slashes) {
      if (slash.height < start.height || slash.period <= period) continue
      total += ((ratioAt(slash.period) - ratioAt(period)) * stake) / ONE
      stake = (stake * (ONE - slash.fraction)) / ONE
      period = slash.period
    }
    const worth = halfEven((shares * validator.tokens * ONE * ONE) / validator.shares)
    if (stake > worth) stake = worth
    return total + ((ratioAt(record.ratios.length - 1) - ratioAt(period)) * stake) / ONE
  }

  /** What a delegation would get if the period ended now. */
  due(validator: ValidatorView, delegation: DelegationView, height: number): Decimal {
    const record = this.#of(validator)
    const [before, pool] = [{ ...record }, this.pool]
    this.endPeriod(validator)
    const due = this.reckon(validator, delegation, height)
    record.ratios.pop()
    Object.assign(record, before)
    this.pool = pool
    return due
  }

  /** Returns whole anat. */
  withdraw(validator: ValidatorView, delegation: DelegationView, height: number): bigint {
    this.endPeriod(validator)
    const record = this.#of(validator)
    const due = this.reckon(validator, delegation, height)
    const paid = due < record.outstanding ? due : record.outstanding
    record.outstanding -= paid
    record.starts.delete(bytesToKey(delegation.delegator))
    this.pool += paid % ONE
    return paid / ONE
  }

  withdrawCommission(validator: ValidatorView): bigint {
    const record = this.touch(validator)
    const whole = record.commission / ONE
    record.commission -= whole * ONE
    record.outstanding -= whole * ONE
    return whole
  }

  /** Returns the commission that is paid. */
  remove(validator: ValidatorView): bigint {
    const { commission, outstanding } = this.#of(validator)
    this.pool += outstanding - (commission / ONE) * ONE
    this.#records.delete(bytesToKey(validator.operator))
    this.#voters.delete(bytesToKey(validator.consensusAddress))
    return commission / ONE
  }

  /** What settling now would show. */
  view(validator: ValidatorView): { outstanding: Decimal; commission: Decimal; current: Decimal } {
    const { unsplit, commission, current, outstanding } = this.#of(validator)
    const part = halfEven(unsplit * validator.commissionRate)
    return { outstanding, commission: commission + part, current: current + unsplit - part }
  }
}

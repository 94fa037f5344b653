/**
 * For tests: staking a second time, slow and plain. Lists and maps, no indexes and no queues: every question is answered
 * by looking at everything. It shares no code with the module but the order of addresses.
 */
import { account, FIRST_TIME_NS, NAT } from './world.ts'

const SCALE = 10n ** 18n
const UNBONDING_NS = 21n * 86_400n * 10n ** 9n
export const MAX_ENTRIES = 2

/** a / b with 18 places: cut at the 36th, then rounded half to even. */
const quotient = (a: bigint, b: bigint): bigint => {
  const fine = (a * SCALE * SCALE) / b
  const [whole, rest] = [fine / SCALE, fine % SCALE]
  if (rest * 2n === SCALE) return whole + (whole % 2n)
  return rest * 2n > SCALE ? whole + 1n : whole
}

const product = (a: bigint, b: bigint): bigint => {
  const [whole, rest] = [(a * b) / SCALE, (a * b) % SCALE]
  if (rest * 2n === SCALE) return whole + (whole % 2n)
  return rest * 2n > SCALE ? whole + 1n : whole
}

const least = (...values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b))

interface ModelValidator {
  readonly number: number
  status: 'unbonded' | 'unbonding' | 'bonded'
  isJailed: boolean
  tokens: bigint
  shares: bigint
  minimum: bigint
  unbondingHeight: number
  unbondingTimeNs: bigint
}

interface Leaving {
  readonly delegator: number
  readonly operator: number
  readonly height: number
  readonly timeNs: bigint
  initial: bigint
  balance: bigint
}

interface Moving {
  readonly delegator: number
  readonly source: number
  readonly destination: number
  readonly height: number
  readonly timeNs: bigint
  readonly initial: bigint
  readonly shares: bigint
}

export class Model {
  validators: ModelValidator[] = []
  /** Shares by `delegator/operator`. */
  delegations = new Map<string, bigint>()
  leaving: Leaving[] = []
  moving: Moving[] = []
  balances = new Map<number, bigint>()
  /** Power by operator in CometBFT's set. */
  set = new Map<number, bigint>()
  burned = 0n
  height = 1
  timeNs = FIRST_TIME_NS
  readonly maxValidators: number

  constructor(powers: readonly bigint[], maxValidators: number) {
    this.maxValidators = maxValidators
    for (const [number, power] of powers.entries()) {
      const tokens = power * NAT
      this.validators.push(this.newValidator(number, 1n, tokens, 'bonded'))
      this.delegations.set(`${number}/${number}`, tokens * SCALE)
    }
    this.applySet()
  }

  newValidator(number: number, minimum: bigint, tokens = 0n, status: ModelValidator['status'] = 'unbonded') {
    const shares = tokens * SCALE
    return { number, status, isJailed: false, tokens, shares, minimum, unbondingHeight: 0, unbondingTimeNs: 0n }
  }

  find(number: number): ModelValidator | undefined {
    return this.validators.find((each) => each.number === number)
  }

  get(number: number): ModelValidator {
    const validator = this.find(number)
    if (validator === undefined) throw new RangeError('staking/3')
    return validator
  }

  change(delegator: number, amount: bigint): void {
    this.balances.set(delegator, (this.balances.get(delegator) ?? 0n) + amount)
  }

  add(delegator: number, validator: ModelValidator, amount: bigint): bigint {
    const issued = validator.shares === 0n ? amount * SCALE : (validator.shares * amount) / validator.tokens
    validator.tokens += amount
    validator.shares += issued
    const key = `${delegator}/${validator.number}`
    this.delegations.set(key, (this.delegations.get(key) ?? 0n) + issued)
    return issued
  }

  checkRate({ tokens, shares }: ModelValidator): void {
    if (tokens === 0n && shares > 0n) throw new RangeError('staking/34')
  }

  create(number: number, tokens: bigint, minimum: bigint): void {
    if (this.find(number) !== undefined) throw new RangeError('staking/4')
    if ((this.balances.get(number) ?? 0n) < tokens) throw new RangeError('sdk/5')
    const validator = this.newValidator(number, minimum)
    this.validators.push(validator)
    this.change(number, -tokens)
    this.add(number, validator, tokens)
  }

  delegate(delegator: number, operator: number, amount: bigint): void {
    const validator = this.get(operator)
    this.checkRate(validator)
    if ((this.balances.get(delegator) ?? 0n) < amount) throw new RangeError('sdk/5')
    this.change(delegator, -amount)
    this.add(delegator, validator, amount)
  }

  /** Shares for an amount; throws what MsgUndelegate and MsgBeginRedelegate are refused with. */
  sharesFor(delegator: number, operator: number, amount: bigint): bigint {
    const { tokens, shares } = this.get(operator)
    const held = this.delegations.get(`${delegator}/${operator}`)
    if (held === undefined) throw new RangeError('staking/19')
    if (tokens === 0n) throw new RangeError('staking/22')
    const wanted = (shares * amount) / tokens
    if (wanted > held) throw new RangeError('sdk/18')
    return wanted
  }

  unbond(delegator: number, operator: number, shares: bigint): bigint {
    const validator = this.get(operator)
    const key = `${delegator}/${operator}`
    const left = (this.delegations.get(key) ?? 0n) - shares
    const worth = quotient(left * validator.tokens, validator.shares) / SCALE
    if (delegator === operator && worth < validator.minimum) validator.isJailed = true
    if (left === 0n) this.delegations.delete(key)
    else this.delegations.set(key, left)
    const all = shares === validator.shares
    const amount = all ? validator.tokens : quotient(shares * validator.tokens, validator.shares) / SCALE
    validator.tokens -= amount
    validator.shares -= shares
    if (validator.shares === 0n && validator.status === 'unbonded') {
      this.validators = this.validators.filter((each) => each !== validator)
    }
    return amount
  }

  undelegate(delegator: number, operator: number, amount: bigint): void {
    const shares = this.sharesFor(delegator, operator, amount)
    const mine = this.leaving.filter((each) => each.delegator === delegator && each.operator === operator)
    if (mine.length >= MAX_ENTRIES) throw new RangeError('staking/27')
    const tokens = this.unbond(delegator, operator, shares)
    const same = mine.find(({ height }) => height === this.height)
    if (same !== undefined) {
      same.initial += tokens
      same.balance += tokens
      return
    }
    const timeNs = this.timeNs + UNBONDING_NS
    this.leaving.push({ delegator, operator, height: this.height, timeNs, initial: tokens, balance: tokens })
  }

  redelegate(delegator: number, source: number, destination: number, amount: bigint): void {
    const shares = this.sharesFor(delegator, source, amount)
    if (source === destination) throw new RangeError('staking/29')
    const to = this.find(destination)
    if (to === undefined) throw new RangeError('staking/31')
    if (this.moving.some((each) => each.delegator === delegator && each.destination === source)) {
      throw new RangeError('staking/32')
    }
    const mine = this.moving.filter(
      (each) => each.delegator === delegator && each.source === source && each.destination === destination,
    )
    if (mine.length >= MAX_ENTRIES) throw new RangeError('staking/33')
    // Looked at before anything changes: a refused message leaves nothing behind.
    const from = this.get(source)
    const worth = shares === from.shares ? from.tokens : quotient(shares * from.tokens, from.shares) / SCALE
    if (worth === 0n) throw new RangeError('staking/30')
    this.checkRate(to)
    const issued = this.add(delegator, to, this.unbond(delegator, source, shares))
    const after = this.find(source)
    if (after === undefined || after.status === 'unbonded') return
    const bonded = after.status === 'bonded'
    this.moving.push({
      delegator,
      source,
      destination,
      height: bonded ? this.height : after.unbondingHeight,
      timeNs: bonded ? this.timeNs + UNBONDING_NS : after.unbondingTimeNs,
      initial: worth,
      shares: issued,
    })
  }

  cancel(delegator: number, operator: number, amount: bigint, height: number): void {
    const validator = this.get(operator)
    this.checkRate(validator)
    if (validator.isJailed) throw new RangeError('staking/7')
    const entry = this.leaving.find(
      (each) => each.delegator === delegator && each.operator === operator && each.height === height,
    )
    if (entry === undefined) throw new RangeError('sdk/38')
    if (entry.balance < amount || entry.timeNs < this.timeNs) throw new RangeError('sdk/18')
    entry.balance -= amount
    entry.initial -= amount
    if (entry.balance === 0n) this.leaving = this.leaving.filter((each) => each !== entry)
    this.add(delegator, validator, amount)
  }

  jail(number: number): void {
    this.get(number).isJailed = true
  }

  unjail(number: number): void {
    this.get(number).isJailed = false
  }

  slash(number: number, height: number, power: bigint, fraction: bigint): void {
    const validator = this.get(number)
    if (validator.status === 'unbonded') return
    let owed = product(power * NAT * SCALE, fraction) / SCALE
    const counts = (each: { readonly height: number; readonly timeNs: bigint }): boolean =>
      each.height >= height && each.timeNs > this.timeNs
    if (height < this.height) {
      for (const each of this.leaving.filter((one) => one.operator === number && counts(one))) {
        const share = (fraction * each.initial) / SCALE
        owed -= share
        const paid = least(share, each.balance)
        each.balance -= paid
        this.burned += paid
      }
      // Sorted by delegators and destinations, then by entries: which pays first decides who pays.
      const movers = this.moving.filter((one) => one.source === number && counts(one))
      const order = (one: Moving): string =>
        Buffer.from([...account(one.delegator), ...account(one.destination)]).toString('hex')
      for (const one of movers.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0))) {
        const share = (fraction * one.initial) / SCALE
        owed -= share
        this.slashMover(one, share, fraction, counts)
      }
    }
    if (owed > 0n) {
      const paid = least(owed, validator.tokens)
      validator.tokens -= paid
      this.burned += paid
    }
  }

  slashMover(one: Moving, share: bigint, fraction: bigint, counts: (each: Leaving) => boolean): void {
    let rest = share
    for (const each of this.leaving) {
      if (each.delegator !== one.delegator || each.operator !== one.destination || !counts(each)) continue
      const paid = least(rest, each.balance)
      each.balance -= paid
      rest -= paid
      this.burned += paid
    }
    const held = this.delegations.get(`${one.delegator}/${one.destination}`)
    const shares = product(fraction, one.shares)
    if (shares === 0n || rest === 0n || held === undefined) return
    this.burned += this.unbond(one.delegator, one.destination, least(shares, held))
  }

  applySet(): Map<number, bigint> {
    const hex = (number: number): string => Buffer.from(account(number)).toString('hex')
    const strongest = this.validators
      .filter(({ isJailed, tokens }) => !isJailed && tokens >= NAT)
      .sort((a, b) => Number(b.tokens / NAT - a.tokens / NAT) || (hex(a.number) < hex(b.number) ? -1 : 1))
      .slice(0, this.maxValidators)
    // An empty set would stop CometBFT: the last one stays.
    if (strongest.length === 0) return new Map()
    const next = new Map(strongest.map(({ number, tokens }) => [number, tokens / NAT]))
    const updates = new Map<number, bigint>()
    for (const [number, power] of next) if (this.set.get(number) !== power) updates.set(number, power)
    for (const number of this.set.keys()) if (!next.has(number)) updates.set(number, 0n)
    for (const validator of this.validators) {
      if (next.has(validator.number)) {
        validator.status = 'bonded'
      } else if (validator.status === 'bonded') {
        validator.status = 'unbonding'
        validator.unbondingHeight = this.height
        validator.unbondingTimeNs = this.timeNs + UNBONDING_NS
      }
    }
    this.set = next
    return updates
  }

  /** Returns what changes in CometBFT's set. */
  endBlock(seconds: bigint): Map<number, bigint> {
    const updates = this.applySet()
    for (const validator of this.validators) {
      if (validator.status === 'unbonding' && validator.unbondingTimeNs <= this.timeNs) validator.status = 'unbonded'
    }
    this.validators = this.validators.filter(({ status, shares }) => status !== 'unbonded' || shares > 0n)
    for (const { delegator, balance, timeNs } of this.leaving)
      if (timeNs <= this.timeNs) this.change(delegator, balance)
    this.leaving = this.leaving.filter(({ timeNs }) => timeNs > this.timeNs)
    this.moving = this.moving.filter(({ timeNs }) => timeNs > this.timeNs)
    this.height++
    this.timeNs += seconds * 10n ** 9n
    return updates
  }

  get pools(): { readonly bonded: bigint; readonly notBonded: bigint } {
    const pools = { bonded: 0n, notBonded: 0n }
    for (const { status, tokens } of this.validators) pools[status === 'bonded' ? 'bonded' : 'notBonded'] += tokens
    for (const { balance } of this.leaving) pools.notBonded += balance
    return pools
  }
}

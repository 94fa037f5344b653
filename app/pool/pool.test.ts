import { describe, expect, it } from 'vitest'
import { bytesToKey, concatBytes, uint64ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import type { LegacyTransaction, SignedTransaction } from '../../evm/transaction/transaction.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { POOL_CODES } from '../errors.ts'
import type { PoolSettings } from '../settings.ts'
import { EthereumEntry } from '../families/ethereum/entry.ts'
import { AccountQueue } from './account-queue.ts'
import { effectiveTip, type PoolAccount, type PoolEntry } from './entry.ts'
import { PriorityCursor } from './order.ts'
import { Pool } from './pool.ts'

const SETTINGS: PoolSettings = {
  priceBumpPercent: 10,
  accountSlots: 12,
  globalSlots: 60,
  accountQueue: 6,
  globalQueue: 20,
  maxBytes: 9_000,
  lifetimeMs: 50_000,
}
const SENDERS = Array.from({ length: 8 }, (_, index) => keccak256(Uint8Array.of(index)).slice(12))

let made = 0

interface EntryFields {
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly fee: bigint
  readonly tip: bigint
  readonly length?: number
  readonly addedAtMs?: number
  readonly costAnat?: bigint
  readonly authorities?: readonly Uint8Array[]
}

const RICH: PoolAccount = { nonce: 0n, balance: 10n ** 30n, isDelegated: false }
const SILENT = { executable: () => undefined, left: () => undefined }

/** An entry as admission makes it; the pool looks at none of the fields that are the same in all. */
const makeEntry = (fields: EntryFields): PoolEntry => {
  const { sender, nonce, fee, tip, length = 110, addedAtMs = 0, costAnat = 1n, authorities = [] } = fields
  const arrival = made++
  const transaction: LegacyTransaction = {
    type: 0,
    chainId: 1n,
    nonce,
    gasLimit: 21_000n,
    gasPrice: fee,
    to: sender,
    value: 0n,
    data: new Uint8Array(0),
    v: 0n,
    r: 1n,
    s: 1n,
  }
  const raw = concatBytes(uint64ToBytes(arrival), new Uint8Array(length - 8))
  const signed: SignedTransaction = { transaction, raw, hash: keccak256(raw), sender }
  const entry = new EthereumEntry({ signed, authorities, arrival, addedAtMs })
  return Object.assign(entry, { costAnat, maxFeePerGas: fee, maxPriorityFeePerGas: tip })
}

const nonceOf = (entry: PoolEntry): bigint => entry.nonce
const senderOf = (entry: PoolEntry): string => bytesToKey(entry.sender)
const ascending = (a: PoolEntry, b: PoolEntry): number => Number(nonceOf(a) - nonceOf(b))

/** The pool as a plain list: everything that it counts is counted anew each time. */
class Model {
  entries: PoolEntry[] = []
  readonly accounts = new Map<string, PoolAccount>(SENDERS.map((sender) => [bytesToKey(sender), RICH]))

  of(sender: string): PoolEntry[] {
    return this.entries.filter((entry) => senderOf(entry) === sender).sort(ascending)
  }

  account(sender: string): PoolAccount {
    return this.accounts.get(sender) ?? RICH
  }

  isOneAtATime(sender: string): boolean {
    const isReserved = this.entries.some((entry) =>
      entry.authorities.some((authority) => bytesToKey(authority) === sender),
    )
    return isReserved || this.account(sender).isDelegated
  }

  executable(sender: string): PoolEntry[] {
    const { nonce, balance } = this.account(sender)
    const most = this.isOneAtATime(sender) ? 1 : SETTINGS.accountSlots
    const out: PoolEntry[] = []
    let total = 0n
    for (const entry of this.of(sender)) {
      total += entry.costAnat
      if (nonceOf(entry) !== nonce + BigInt(out.length) || total > balance || out.length >= most) break
      out.push(entry)
    }
    return out
  }

  waiting(sender: string): PoolEntry[] {
    return this.of(sender).slice(this.executable(sender).length)
  }

  all(list: (sender: string) => readonly PoolEntry[]): PoolEntry[] {
    return [...this.accounts.keys()].flatMap((sender) => [...list(sender)])
  }

  get allExecutable(): PoolEntry[] {
    return this.all((sender) => this.executable(sender))
  }
  get allWaiting(): PoolEntry[] {
    return this.all((sender) => this.waiting(sender))
  }
  get bytes(): number {
    return this.entries.reduce((sum, { raw }) => sum + raw.length, 0)
  }

  /** What an executable entry brings: no more than any before it. */
  tipOf(entry: PoolEntry, baseFee: bigint): bigint {
    const before = this.of(senderOf(entry)).filter((other) => nonceOf(other) <= nonceOf(entry))
    return before.map((other) => effectiveTip(other, baseFee)).reduce((a, b) => (a < b ? a : b))
  }

  remove(entry: PoolEntry): void {
    this.entries = this.entries.filter((held) => held !== entry)
  }

  clone(): Model {
    const copy = new Model()
    copy.entries = [...this.entries]
    for (const [key, account] of this.accounts) copy.accounts.set(key, account)
    return copy
  }

  get isWithinLimits(): boolean {
    return (
      this.entries.length <= SETTINGS.globalSlots &&
      this.bytes <= SETTINGS.maxBytes &&
      this.allWaiting.length <= SETTINGS.globalQueue
    )
  }
}

/** The same objects, which is quicker to say than that they are equal. */
const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index])

const isSameSet = (some: readonly unknown[], others: readonly unknown[]): boolean => {
  const set = new Set(others)
  return set.size === new Set(some).size && some.every((each) => set.has(each))
}

const expectSame = (pool: Pool, model: Model): void => {
  expectRevised(pool)
  expect(isSameSet([...pool.entries()], model.entries)).toBe(true)
  expect({ size: pool.size, executable: pool.executableCount, waiting: pool.waitingCount }).toEqual({
    size: model.entries.length,
    executable: model.allExecutable.length,
    waiting: model.allWaiting.length,
  })
  expect(model.isWithinLimits, 'limits of all').toBe(true)
  const expected = [...model.accounts.keys()].filter((sender) => model.of(sender).length > 0).sort()
  expect(pool.accounts().map(([key]) => key)).toEqual(expected)
  for (const [key, queue] of pool.accounts()) {
    const executable = model.executable(key)
    expect(isSame([...queue.executable()], executable)).toBe(true)
    expect(isSame(queue.waiting(), model.waiting(key))).toBe(true)
    expect([queue.executableCount, queue.waitingCount]).toEqual([executable.length, model.waiting(key).length])
    expect(queue.waitingCount).toBeLessThanOrEqual(SETTINGS.accountQueue)
    expect(queue.nextNonce).toBe(model.account(key).nonce + BigInt(executable.length))
    expect(queue.lastWaiting()).toBe(model.waiting(key).at(-1))
    expect(queue.lastExecutable()).toBe(executable.at(-1))
    const last = executable.at(-1)
    if (last !== undefined) expect(queue.tipAt(last, 20n)).toBe(model.tipOf(last, 20n))
    for (const without of [...executable, undefined]) {
      const sum = executable.reduce((total, entry) => total + (entry === without ? 0n : entry.costAnat), 0n)
      expect(queue.expenditureWithout(without === undefined ? 1_000n : nonceOf(without))).toBe(sum)
    }
  }
}

/** What an answer made of the executable transactions is kept by. */
const seen = new WeakMap<Pool, { readonly revision: number; readonly executable: readonly PoolEntry[] }>()

const expectRevised = (pool: Pool): void => {
  const { revision } = pool
  const executable = [...pool.queues()].flatMap((queue) => [...queue.executable()])
  const before = seen.get(pool)
  if (before?.revision === revision) expect(isSame(executable, before.executable)).toBe(true)
  seen.set(pool, { revision, executable })
}

const codeOf = (call: () => void): number => {
  try {
    call()
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'pool') return error.code
    throw error
  }
  return 0
}

/** What leaves for an entry that comes: no more than it needs room for, and in the order of the rules. */
const expectFair = (before: Model, victims: readonly PoolEntry[], entry: PoolEntry, baseFee: bigint): void => {
  const sender = senderOf(entry)
  const held = before.of(sender).find((other) => nonceOf(other) === nonceOf(entry))
  const after = before.clone()
  if (held !== undefined) after.remove(held)
  after.entries.push(entry)
  const canExecute = after.executable(sender).includes(entry)
  const waited = new Set(before.allWaiting)
  const [first, ...others] = victims
  for (const victim of victims) after.remove(victim)
  expect(after.isWithinLimits).toBe(true)
  if (first !== undefined) {
    const oneFewer = victims.some((victim) => {
      const more = after.clone()
      more.entries.push(victim)
      return !more.isWithinLimits
    })
    expect(oneFewer, 'no more leave than must').toBe(true)
  }
  for (const victim of victims) {
    const from = senderOf(victim)
    if (!canExecute) {
      expect(waited.has(victim), 'what waits displaces what waits').toBe(true)
      expect(from).not.toBe(sender)
      const crowd = before.waiting(sender).length + (held === undefined ? 1 : 0)
      expect(before.waiting(from).length).toBeGreaterThanOrEqual(crowd)
    } else if (!waited.has(victim)) {
      expect(from).not.toBe(sender)
      expect(before.tipOf(victim, baseFee) < after.tipOf(entry, baseFee), 'only cheaper ones leave').toBe(true)
      const left = new Set([...victims, ...(held === undefined ? [] : [held])])
      expect([...waited].every((other) => left.has(other) || senderOf(other) === sender)).toBe(true)
    }
    const kept = after.of(from).filter((other) => waited.has(other) === waited.has(victim))
    expect(
      kept.every((other) => nonceOf(other) < nonceOf(victim) || other === entry),
      'the last leaves',
    ).toBe(true)
  }
  expect(others.length).toBeLessThan(20)
}

/** What the pool must answer, from its rules; and what it may evict for it. */
const insertBoth = (pool: Pool, model: Model, entry: PoolEntry, baseFee: bigint): number => {
  const sender = senderOf(entry)
  const account = model.account(sender)
  const held = model.of(sender).find((other) => nonceOf(other) === nonceOf(entry))
  const before = model.clone()
  const wanted = model.clone()
  if (held !== undefined) wanted.remove(held)
  wanted.entries.push(entry)
  const own = entry.authorities
  const executes = wanted.executable(sender).includes(entry)
  const isLast = nonceOf(entry) === account.nonce + BigInt(model.executable(sender).length)
  const accountFull =
    (isLast && model.executable(sender).length >= SETTINGS.accountSlots) ||
    (!executes && model.waiting(sender).length >= SETTINGS.accountQueue)
  const code = codeOf(() => pool.insert(entry, account, baseFee))

  const kept = new Set(pool.entries())
  const left = before.entries.filter((other) => !kept.has(other) && other !== held)
  if (held !== undefined) {
    const pays = (now: bigint, then: bigint): boolean => now * 100n >= then * 110n && now > then
    const enough =
      pays(entry.maxFeePerGas, held.maxFeePerGas) && pays(entry.maxPriorityFeePerGas, held.maxPriorityFeePerGas)
    if (!enough) expect(code).toBe(POOL_CODES.replacementUnderpriced)
    else expect([0, POOL_CODES.full]).toContain(code)
  } else if (own.length > 0) {
    expect([0, POOL_CODES.full, POOL_CODES.accountLimit]).toContain(code)
  } else if (accountFull) {
    expect(code).toBe(POOL_CODES.accountLimit)
  } else if (wanted.isWithinLimits) {
    expect(code).toBe(0)
  } else {
    expect([0, POOL_CODES.full]).toContain(code)
  }
  // An authorization may make others wait, and leave for that.
  if (own.length === 0) {
    if (code === 0) expectFair(before, left, entry, baseFee)
    else expect(left).toEqual([])
  }
  model.entries = [...kept]
  if (code === 0) expect(kept.has(entry)).toBe(true)
  return code
}

/** Those of a transaction may be many, and its own sender among them. */
const randomAuthorities = (random: Random, sender: Uint8Array): readonly Uint8Array[] => {
  const others = Array.from({ length: random.below(4) }, () => random.pick(SENDERS))
  return random.chance(50) ? [sender, ...others] : [...others, random.pick(SENDERS)]
}

const randomEntry = (random: Random, model: Model, nowMs: number): PoolEntry => {
  const sender = random.pick(SENDERS)
  const { nonce, balance } = model.account(bytesToKey(sender))
  // Most follow what is there, some leave gaps, some replace.
  const reach = random.chance(60) ? model.executable(bytesToKey(sender)).length : random.below(16)
  const tip = BigInt(1 + random.below(60))
  const costAnat = BigInt(random.below(1_000))
  return makeEntry({
    sender,
    nonce: nonce + BigInt(reach),
    fee: tip + BigInt(random.below(80)),
    tip,
    length: random.chance(5) ? 900 : 60 + random.below(200),
    addedAtMs: nowMs,
    costAnat: costAnat < balance ? costAnat : balance,
    authorities: random.chance(2) ? randomAuthorities(random, sender) : [],
  })
}

const randomAccount = (random: Random, { nonce }: PoolAccount): PoolAccount => ({
  nonce: nonce + BigInt(random.below(6)),
  balance: random.chance(70) ? RICH.balance : BigInt(random.below(4_000)),
  isDelegated: random.chance(10),
})

describe('the pool', () => {
  it(
    'counts, keeps and drops as a plain list does, over thousands of random operations',
    seeded(60, (random) => {
      const promoted: PoolEntry[] = []
      const left: PoolEntry[] = []
      const pool = new Pool(SETTINGS, {
        executable: (entry) => promoted.push(entry),
        left: (entry) => left.push(entry),
      })
      const model = new Model()
      const codes = new Map<number, number>()
      let nowMs = 0
      for (let step = 0; step < 4_000; step++) {
        nowMs += random.below(1_000)
        promoted.length = 0
        left.length = 0
        const before = [...model.entries]
        const executed = new Set(model.allExecutable)
        const kind = random.below(100)
        if (kind < 75) {
          const code = insertBoth(pool, model, randomEntry(random, model, nowMs), BigInt(random.below(30)))
          codes.set(code, (codes.get(code) ?? 0) + 1)
        } else if (kind < 83 && model.entries.length > 0) {
          const entry = random.pick(model.entries)
          pool.remove(entry)
          expect(pool.has(bytesToKey(entry.hash))).toBe(false)
        } else if (kind < 96) {
          const sender = random.pick(SENDERS)
          const key = bytesToKey(sender)
          const account = randomAccount(random, model.account(key))
          pool.update(sender, account)
          model.accounts.set(key, account)
          const dead = model.of(key).filter((each) => nonceOf(each) < account.nonce || each.costAnat > account.balance)
          expect(dead.filter((entry) => pool.has(bytesToKey(entry.hash)))).toEqual([])
        } else {
          pool.expire(nowMs)
          for (const entry of model.allWaiting) {
            const isOld = nowMs - entry.addedAtMs > SETTINGS.lifetimeMs
            const executes = pool.account(entry.sender)?.isExecutable(nonceOf(entry)) === true
            expect(pool.has(bytesToKey(entry.hash))).toBe(!isOld || executes)
          }
        }
        model.entries = [...pool.entries()]
        expectSame(pool, model)
        const held = new Set(model.entries)
        const known = new Set(before)
        const gone = before.filter((entry) => !held.has(entry))
        expect(
          isSameSet(
            left.filter((entry) => known.has(entry)),
            gone,
          ),
        ).toBe(true)
        const fresh = model.allExecutable.filter((entry) => !executed.has(entry))
        const told = new Set(promoted)
        expect(
          fresh.every((entry) => told.has(entry)),
          'what can execute now was told',
        ).toBe(true)
        // An authorization lets one operation make an entry wait and execute again.
        const isPlain = [...before, ...left, ...model.entries].every((entry) => entry.authorities.length === 0)
        if (isPlain) expect(promoted.length, 'told once').toBe(told.size)
      }
      for (const code of [0, POOL_CODES.replacementUnderpriced, POOL_CODES.accountLimit, POOL_CODES.full]) {
        expect(codes.get(code) ?? 0, `code ${code} was met`).toBeGreaterThan(10)
      }
      for (const entry of [...model.entries]) pool.remove(entry)
      expect([pool.size, pool.executableCount, pool.waitingCount, pool.accounts()]).toEqual([0, 0, 0, []])
      // Not a byte has leaked: one transaction of the whole allowance fits.
      const [sender = new Uint8Array(20)] = SENDERS
      const whole = makeEntry({ sender, nonce: 0n, fee: 9n, tip: 9n, length: SETTINGS.maxBytes })
      pool.insert(whole, RICH, 0n)
      expect(pool.get(whole.hash)).toBe(whole)
    }),
  )

  it('asks a replacement for ten percent more of both fees', () => {
    const [sender = new Uint8Array(20)] = SENDERS
    const pool = new Pool(SETTINGS, SILENT)
    const insert = (fee: bigint, tip: bigint): number =>
      codeOf(() => pool.insert(makeEntry({ sender, nonce: 0n, fee, tip }), RICH, 0n))
    expect(insert(100n, 10n)).toBe(0)
    expect(insert(109n, 20n)).toBe(POOL_CODES.replacementUnderpriced)
    expect(insert(200n, 10n)).toBe(POOL_CODES.replacementUnderpriced)
    expect(insert(110n, 11n)).toBe(0)
    expect(pool.size).toBe(1)
  })

  it('keeps what would be replaced by a transaction that reserves its own account, where many are before it', () => {
    const [sender = new Uint8Array(20), other = new Uint8Array(20)] = SENDERS
    const pool = new Pool(SETTINGS, SILENT)
    const entries = Array.from({ length: 8 }, (_, nonce) =>
      makeEntry({ sender, nonce: BigInt(nonce), fee: 100n, tip: 10n }),
    )
    for (const entry of entries) pool.insert(entry, RICH, 0n)
    const authorities = [sender, other]
    const replace = (nonce: bigint): number =>
      codeOf(() => pool.insert(makeEntry({ sender, nonce, fee: 200n, tip: 20n, authorities }), RICH, 0n))
    expect(replace(7n)).toBe(POOL_CODES.full)
    expect([pool.size, pool.executableCount]).toEqual([8, 8])
    // The last ones leave for one that is nearer.
    expect(replace(6n)).toBe(0)
    expect([pool.size, pool.executableCount]).toEqual([7, 1])
    // What was refused reserves nobody.
    for (const entry of [...pool.entries()]) pool.remove(entry)
    for (const nonce of [0n, 1n]) pool.insert(makeEntry({ sender: other, nonce, fee: 1n, tip: 1n }), RICH, 0n)
    expect([pool.size, pool.executableCount]).toEqual([2, 2])
  })
})

describe('the queue of an account', () => {
  const [sender = new Uint8Array(20)] = SENDERS
  const entryAt = (nonce: bigint, costAnat = nonce): PoolEntry =>
    makeEntry({ sender, nonce, fee: 1n, tip: 1n, costAnat })
  const account = { nonce: 5n, balance: 100n, isDelegated: false }

  it('promotes what a missing nonce held back, and strands it again', () => {
    const queue = new AccountQueue(account, 12)
    const [five, six, seven] = [entryAt(5n), entryAt(6n), entryAt(7n)]
    expect(queue.set(seven)).toEqual({ promoted: [], demoted: [] })
    expect(queue.waitReason(7n)).toBe('gap')
    expect(queue.set(five).promoted).toEqual([five])
    expect([queue.executableCount, queue.waitingCount, queue.nextNonce]).toEqual([1, 1, 6n])
    expect(queue.set(six).promoted).toEqual([six, seven])
    expect(queue.expenditureWithout(6n)).toBe(12n)
    expect(queue.delete(5n).demoted).toEqual([six, seven])
    expect([queue.executableCount, queue.waitingCount, queue.nextNonce]).toEqual([0, 2, 5n])
    expect(queue.update({ ...account, nonce: 6n })).toEqual({ left: [], promoted: [six, seven], demoted: [] })
    const { left, promoted } = queue.update({ ...account, nonce: 9n })
    expect([new Set(left), promoted]).toEqual([new Set([six, seven]), []])
    expect([queue.size, queue.nextNonce, queue.expenditureWithout(0n)]).toEqual([0, 9n, 0n])
  })

  it('lets execute what the balance pays for together, and keeps what it pays for alone', () => {
    const queue = new AccountQueue(account, 12)
    const [first, second, third] = [entryAt(5n, 60n), entryAt(6n, 60n), entryAt(7n, 30n)]
    for (const entry of [third, second, first]) queue.set(entry)
    expect([...queue.executable()]).toEqual([first])
    expect(queue.waitReason(6n)).toBe('funds')
    expect(queue.update({ ...account, balance: 120n }).promoted).toEqual([second])
    expect(queue.update({ ...account, balance: 59n })).toEqual({ left: [first, second], promoted: [], demoted: [] })
    expect(queue.waiting()).toEqual([third])
  })

  it('lets one transaction of a delegated account execute at a time', () => {
    const queue = new AccountQueue(account, 12)
    const entries = [entryAt(5n), entryAt(6n), entryAt(7n)] as const
    for (const entry of entries) queue.set(entry)
    expect(queue.update({ ...account, isDelegated: true }).demoted).toEqual(entries.slice(1))
    expect(queue.waitReason(6n)).toBe('reserved')
    expect(queue.update({ ...account, nonce: 6n, isDelegated: true }).promoted).toEqual([entries[1]])
    expect(queue.update({ ...account, nonce: 6n }).promoted).toEqual([entries[2]])
    expect(queue.reserve(true).demoted).toEqual([entries[2]])
    expect(queue.reserve(false).promoted).toEqual([entries[2]])
  })
})

describe('the order of a block', () => {
  it(
    'is by effective tip, then by arrival, and by nonce within an account',
    seeded(61, (random) => {
      for (let round = 0; round < 60; round++) {
        const baseFee = BigInt(random.below(40))
        const accounts = SENDERS.map((sender) =>
          Array.from({ length: random.below(8) }, (_, nonce) =>
            makeEntry({ sender, nonce: BigInt(nonce), fee: BigInt(random.below(100)), tip: BigInt(random.below(12)) }),
          ),
        )
        const cursor = new PriorityCursor(
          accounts.map((entries) => [...entries].values()),
          baseFee,
        )
        for (;;) {
          // An account whose first transaction cannot pay the base fee has none to offer.
          const heads = accounts.filter(([head]) => head !== undefined && effectiveTip(head, baseFee) >= 0n)
          const best = heads
            .flatMap(([head]) => (head === undefined ? [] : [head]))
            .toSorted((a, b) => {
              const [left, right] = [effectiveTip(a, baseFee), effectiveTip(b, baseFee)]
              return left === right ? a.arrival - b.arrival : left > right ? -1 : 1
            })[0]
          expect(cursor.peek()).toBe(best)
          if (best === undefined) break
          const account = accounts.find(([head]) => head === best) ?? []
          if (random.chance(20)) {
            cursor.skipAccount()
            account.length = 0
          } else {
            cursor.take()
            account.shift()
          }
        }
      }
    }),
  )
})

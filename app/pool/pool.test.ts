import { describe, expect, it } from 'vitest'
import { bytesToKey, concatBytes, uint64ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import type { LegacyTransaction, SignedTransaction } from '../../evm/transaction/transaction.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { POOL_CODES } from '../errors.ts'
import type { PoolSettings } from '../settings.ts'
import { AccountQueue, effectiveTip, type PoolEntry } from './account-queue.ts'
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
}

/** An entry as admission makes it; the pool looks at none of the fields that are the same in all. */
const makeEntry = ({ sender, nonce, fee, tip, length = 110, addedAtMs = 0, costAnat = 1n }: EntryFields): PoolEntry => {
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
  const { hash } = signed
  const shared = { raw, hash, sender, nonce, gasLimit: 21_000n, arrival, addedAtMs, costAnat }
  return { kind: 'ethereum', signed, ...shared, maxFeePerGas: fee, maxPriorityFeePerGas: tip }
}

const nonceOf = (entry: PoolEntry): bigint => entry.nonce
const senderOf = (entry: PoolEntry): string => bytesToKey(entry.sender)
const ascending = (a: PoolEntry, b: PoolEntry): number => Number(nonceOf(a) - nonceOf(b))

/** The pool as a plain list: everything that it counts is counted anew each time. */
class Model {
  entries: PoolEntry[] = []
  readonly nonces = new Map(SENDERS.map((sender) => [bytesToKey(sender), 0n]))

  of(sender: string): PoolEntry[] {
    return this.entries.filter((entry) => senderOf(entry) === sender).sort(ascending)
  }

  executable(sender: string): PoolEntry[] {
    const out: PoolEntry[] = []
    let next = this.nonces.get(sender) ?? 0n
    for (const entry of this.of(sender))
      if (nonceOf(entry) === next++) out.push(entry)
      else break
    return out
  }

  waiting(sender: string): PoolEntry[] {
    return this.of(sender).slice(this.executable(sender).length)
  }

  count(list: (sender: string) => readonly PoolEntry[]): number {
    let count = 0
    for (const sender of this.nonces.keys()) count += list(sender).length
    return count
  }

  get bytes(): number {
    return this.entries.reduce((sum, { raw }) => sum + raw.length, 0)
  }

  remove(entry: PoolEntry): void {
    this.entries = this.entries.filter((held) => held !== entry)
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
  expect(isSameSet([...pool.entries()], model.entries)).toBe(true)
  expect({ size: pool.size, executable: pool.executableCount, waiting: pool.waitingCount }).toEqual({
    size: model.entries.length,
    executable: model.count((sender) => model.executable(sender)),
    waiting: model.count((sender) => model.waiting(sender)),
  })
  const expected = [...model.nonces.keys()].filter((sender) => model.of(sender).length > 0).sort()
  expect(pool.accounts().map(([key]) => key)).toEqual(expected)
  for (const [key, queue] of pool.accounts()) {
    const executable = model.executable(key)
    expect(isSame([...queue.executable()], executable)).toBe(true)
    expect(isSame(queue.waiting(), model.waiting(key))).toBe(true)
    expect([queue.executableCount, queue.waitingCount]).toEqual([executable.length, model.waiting(key).length])
    expect(queue.nextNonce).toBe((model.nonces.get(key) ?? 0n) + BigInt(executable.length))
    expect(queue.last()).toBe(model.of(key).at(-1))
    for (const without of [...executable, undefined]) {
      const sum = executable.reduce((total, entry) => total + (entry === without ? 0n : entry.costAnat), 0n)
      expect(queue.expenditureWithout(without === undefined ? 1_000n : nonceOf(without))).toBe(sum)
    }
  }
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

/** What the pool must answer, from its rules; and what it may evict for it. */
const insertBoth = (pool: Pool, model: Model, entry: PoolEntry, baseFee: bigint): number => {
  const sender = senderOf(entry)
  const nonce = model.nonces.get(sender) ?? 0n
  const held = model.of(sender).find((other) => nonceOf(other) === nonceOf(entry))
  const before = [...model.entries]
  const bytesBefore = model.bytes
  const extend = nonceOf(entry) === nonce + BigInt(model.executable(sender).length)
  const accountFull = extend
    ? model.executable(sender).length >= SETTINGS.accountSlots
    : model.waiting(sender).length >= SETTINGS.accountQueue
  const noRoom = model.entries.length >= SETTINGS.globalSlots || model.bytes + entry.raw.length > SETTINGS.maxBytes
  const queueFull = !extend && model.count((key) => model.waiting(key)) >= SETTINGS.globalQueue
  const code = codeOf(() => pool.insert(entry, nonce, baseFee))

  const kept = new Set(pool.entries())
  const evicted = before.filter((other) => !kept.has(other) && other !== held)
  for (const victim of evicted.toSorted((a, b) => ascending(b, a))) {
    expect(senderOf(victim), 'nobody evicts its own').not.toBe(sender)
    expect(effectiveTip(victim, baseFee) < effectiveTip(entry, baseFee), 'only cheaper ones leave').toBe(true)
    expect(model.of(senderOf(victim)).at(-1), 'the last of its account leaves').toBe(victim)
    model.remove(victim)
  }
  if (held !== undefined) {
    const pays = (now: bigint, then: bigint): boolean => now * 100n >= then * 110n && now > then
    const enough =
      pays(entry.maxFeePerGas, held.maxFeePerGas) && pays(entry.maxPriorityFeePerGas, held.maxPriorityFeePerGas)
    const grows = bytesBefore + entry.raw.length - held.raw.length > SETTINGS.maxBytes
    if (!enough) expect(code).toBe(POOL_CODES.replacementUnderpriced)
    else if (!grows) expect(code).toBe(0)
    else expect([0, POOL_CODES.full]).toContain(code)
    if (!enough || !grows) expect(evicted).toEqual([])
    if (code === 0) model.remove(held)
  } else if (accountFull) {
    expect(code).toBe(POOL_CODES.accountLimit)
  } else if (noRoom || queueFull) {
    expect([0, POOL_CODES.full]).toContain(code)
    if (code === 0) expect(evicted.length).toBeGreaterThan(0)
  } else {
    expect([code, evicted]).toEqual([0, []])
  }
  if (code === 0) model.entries.push(entry)
  expect(model.entries.length).toBeLessThanOrEqual(SETTINGS.globalSlots)
  expect(model.bytes).toBeLessThanOrEqual(SETTINGS.maxBytes)
  if (code === 0 && held === undefined && !extend) {
    expect(
      model.count((key) => model.waiting(key)),
      'waiting in all',
    ).toBeLessThanOrEqual(SETTINGS.globalQueue)
  }
  return code
}

const randomEntry = (random: Random, model: Model, nowMs: number): PoolEntry => {
  const sender = random.pick(SENDERS)
  const nonce = model.nonces.get(bytesToKey(sender)) ?? 0n
  // Most follow what is there, some leave gaps, some replace.
  const reach = random.chance(60) ? model.executable(bytesToKey(sender)).length : random.below(16)
  const tip = BigInt(1 + random.below(60))
  return makeEntry({
    sender,
    nonce: nonce + BigInt(reach),
    fee: tip + BigInt(random.below(80)),
    tip,
    length: 60 + random.below(200),
    addedAtMs: nowMs,
    costAnat: BigInt(random.below(1_000)),
  })
}

describe('the pool', () => {
  it(
    'counts, keeps and drops as a plain list does, over thousands of random operations',
    seeded(60, (random) => {
      const announced: PoolEntry[] = []
      const pool = new Pool(SETTINGS, (entry) => announced.push(entry))
      const model = new Model()
      const codes = new Map<number, number>()
      let nowMs = 0
      for (let step = 0; step < 4_000; step++) {
        nowMs += random.below(1_000)
        announced.length = 0
        const executable = new Set([...model.nonces.keys()].flatMap((sender) => model.executable(sender)))
        const kind = random.below(100)
        if (kind < 75) {
          const code = insertBoth(pool, model, randomEntry(random, model, nowMs), BigInt(random.below(30)))
          codes.set(code, (codes.get(code) ?? 0) + 1)
        } else if (kind < 83 && model.entries.length > 0) {
          const entry = random.pick(model.entries)
          pool.remove(entry)
          model.remove(entry)
        } else if (kind < 96) {
          const sender = random.pick(SENDERS)
          const key = bytesToKey(sender)
          const nonce = (model.nonces.get(key) ?? 0n) + BigInt(random.below(6))
          pool.advance(sender, nonce)
          model.nonces.set(key, nonce)
          for (const entry of model.of(key)) if (nonceOf(entry) < nonce) model.remove(entry)
        } else {
          pool.expire(nowMs)
          const waiting = [...model.nonces.keys()].flatMap((sender) => model.waiting(sender))
          for (const entry of waiting) if (nowMs - entry.addedAtMs > SETTINGS.lifetimeMs) model.remove(entry)
        }
        expectSame(pool, model)
        const now = [...model.nonces.keys()].flatMap((sender) => model.executable(sender))
        const expected = now.filter((entry) => !executable.has(entry))
        expect(isSameSet(announced, expected)).toBe(true)
        expect(announced.length, 'announced once').toBe(new Set(announced).size)
      }
      for (const code of [0, POOL_CODES.replacementUnderpriced, POOL_CODES.accountLimit, POOL_CODES.full]) {
        expect(codes.get(code) ?? 0, `code ${code} was met`).toBeGreaterThan(10)
      }
      for (const entry of [...model.entries]) pool.remove(entry)
      expect([pool.size, pool.executableCount, pool.waitingCount, pool.accounts()]).toEqual([0, 0, 0, []])
      // Not a byte has leaked: one transaction of the whole allowance fits.
      const [sender = new Uint8Array(20)] = SENDERS
      const whole = makeEntry({ sender, nonce: 0n, fee: 9n, tip: 9n, length: SETTINGS.maxBytes })
      pool.insert(whole, 0n, 0n)
      expect(pool.get(whole.hash)).toBe(whole)
    }),
  )

  it('asks a replacement for ten percent more of both fees', () => {
    const [sender = new Uint8Array(20)] = SENDERS
    const pool = new Pool(SETTINGS, () => undefined)
    const insert = (fee: bigint, tip: bigint): number =>
      codeOf(() => pool.insert(makeEntry({ sender, nonce: 0n, fee, tip }), 0n, 0n))
    expect(insert(100n, 10n)).toBe(0)
    expect(insert(109n, 20n)).toBe(POOL_CODES.replacementUnderpriced)
    expect(insert(200n, 10n)).toBe(POOL_CODES.replacementUnderpriced)
    expect(insert(110n, 11n)).toBe(0)
    expect(pool.size).toBe(1)
  })
})

describe('the queue of an account', () => {
  it('promotes what a missing nonce held back, and strands it again', () => {
    const [sender = new Uint8Array(20)] = SENDERS
    const queue = new AccountQueue(5n)
    const [five, six, seven] = [5n, 6n, 7n].map((nonce) =>
      makeEntry({ sender, nonce, fee: 1n, tip: 1n, costAnat: nonce }),
    )
    if (five === undefined || six === undefined || seven === undefined) throw new RangeError('three entries were made')
    expect(queue.set(seven)).toEqual([])
    expect(queue.set(five)).toEqual([five])
    expect([queue.executableCount, queue.waitingCount, queue.nextNonce]).toEqual([1, 1, 6n])
    expect(queue.set(six)).toEqual([six, seven])
    expect(queue.expenditureWithout(6n)).toBe(12n)
    queue.delete(5n)
    expect([queue.executableCount, queue.waitingCount, queue.nextNonce]).toEqual([0, 2, 5n])
    expect(queue.setStateNonce(6n)).toEqual({ stale: [], promoted: [six, seven] })
    const { stale, promoted } = queue.setStateNonce(9n)
    expect([new Set(stale), promoted]).toEqual([new Set([six, seven]), []])
    expect([queue.size, queue.nextNonce, queue.expenditureWithout(0n)]).toEqual([0, 9n, 0n])
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

import { describe, expect, it } from 'vitest'
import { DENOMINATION } from '../../core/amounts.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { CodedError, InvariantError } from '../../core/errors.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { seeded } from '../../test/sim/random.ts'
import {
  BANK_ADDRESS,
  burn,
  mint,
  noteBurntByEvm,
  readBalance,
  readBalances,
  readSupplies,
  readSupply,
  send,
} from './keeper/balances.ts'

const DENOMS = [DENOMINATION, 'ibc/27', 'aaa', 'zzz']
const ACCOUNTS = Array.from({ length: 6 }, (_, index) => new Uint8Array(20).fill(index + 1))

const freshState = (): Overlay => new Overlay(new LatestState(openMemoryStore(), 1_000))

/** Balances by account and denomination in a plain map. */
class Model {
  readonly balances = new Map<string, bigint>()

  get(address: Uint8Array, denom: string): bigint {
    return this.balances.get(bytesToKey(address) + denom) ?? 0n
  }
  add(address: Uint8Array, denom: string, amount: bigint): void {
    this.balances.set(bytesToKey(address) + denom, this.get(address, denom) + amount)
  }
}

const refused = (call: () => void): boolean => {
  try {
    call()
    return false
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    expect([error.codespace, error.code]).toEqual(['sdk', 5])
    return true
  }
}

describe('the bank', () => {
  it(
    'neither makes nor loses coins over random operations, undone ones included',
    seeded(80, (random) => {
      const state = freshState()
      const model = new Model()
      const supplies = new Map(DENOMS.map((denom) => [denom, 0n]))
      let refusals = 0
      for (let step = 0; step < 3_000; step++) {
        const [from, to] = [random.pick(ACCOUNTS), random.pick(ACCOUNTS)]
        const denom = random.pick(DENOMS)
        const amount = BigInt(random.below(random.chance(10) ? 100_000 : 1_000))
        const coin = { denom, amount }
        const undone = random.chance(15)
        const poor = model.get(from, denom) < amount
        if (undone) state.checkpoint()
        const kind = random.below(4)
        if (kind === 0) mint(state, to, coin)
        else if (kind === 1) expect(refused(() => burn(state, from, coin))).toBe(poor)
        else expect(refused(() => send(state, from, to, coin))).toBe(poor)
        if (kind !== 0 && poor) refusals++
        if (undone) {
          state.revert()
        } else if (kind === 0) {
          model.add(to, denom, amount)
          supplies.set(denom, (supplies.get(denom) ?? 0n) + amount)
        } else if (!poor) {
          model.add(from, denom, -amount)
          if (kind === 1) supplies.set(denom, (supplies.get(denom) ?? 0n) - amount)
          else model.add(to, denom, amount)
        }
        for (const each of DENOMS) {
          for (const account of ACCOUNTS) expect(readBalance(state, account, each)).toBe(model.get(account, each))
          expect(readSupply(state, each)).toBe(supplies.get(each))
        }
      }
      expect(refusals).toBeGreaterThan(100)
      const listed = [...supplies].filter(([, amount]) => amount > 0n).map(([denom, amount]) => ({ denom, amount }))
      expect(readSupplies(state, 10)).toEqual(listed.sort((a, b) => (a.denom < b.denom ? -1 : 1)))
      for (const account of ACCOUNTS) {
        const coins = DENOMS.map((denom) => ({ denom, amount: model.get(account, denom) }))
          .filter(({ amount }) => amount > 0n)
          .sort((a, b) => (a.denom < b.denom ? -1 : 1))
        expect(readBalances(state, account, 10)).toEqual(coins)
        expect(readBalances(state, account, 2, 'anat')).toEqual(
          coins.filter(({ denom }) => denom >= 'anat').slice(0, 2),
        )
      }
    }),
  )

  it('leaves no trace of what is zero: an account without anything does not exist', () => {
    const state = freshState()
    const [one = BANK_ADDRESS, other = BANK_ADDRESS] = ACCOUNTS
    for (const denom of [DENOMINATION, 'zzz']) {
      mint(state, one, { denom, amount: 5n })
      send(state, one, other, { denom, amount: 5n })
      burn(state, other, { denom, amount: 5n })
    }
    expect([state.account(one), state.account(other)]).toEqual([undefined, undefined])
    expect(state.values(BANK_ADDRESS, new Uint8Array(0), 10)).toEqual([])
  })

  it('sends to oneself without a gain', () => {
    const state = freshState()
    const [one = BANK_ADDRESS] = ACCOUNTS
    for (const denom of [DENOMINATION, 'zzz']) {
      mint(state, one, { denom, amount: 5n })
      send(state, one, one, { denom, amount: 5n })
      expect(readBalance(state, one, denom)).toBe(5n)
      expect(refused(() => send(state, one, one, { denom, amount: 6n }))).toBe(true)
    }
  })

  it('halts where more was burnt than there is', () => {
    const state = freshState()
    mint(state, BANK_ADDRESS, { denom: DENOMINATION, amount: 5n })
    noteBurntByEvm(state, 5n)
    expect(readSupply(state, DENOMINATION)).toBe(0n)
    expect(() => noteBurntByEvm(state, 1n)).toThrow(InvariantError)
  })
})

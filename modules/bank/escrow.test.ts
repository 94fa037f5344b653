import { expect, it } from 'vitest'
import { DENOMINATION } from '../../core/amounts.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { seeded } from '../../test/sim/random.ts'
import type { EscrowEntry } from '../ledger.ts'
import { mint } from './keeper/balances.ts'
import { createLedger } from './ledger.ts'

const DENOMS = [DENOMINATION, 'uusd', 'ueur']
const MODULE = new Uint8Array(20).fill(0xee)
const OWNERS = Array.from({ length: 5 }, (_, index) => new Uint8Array(20).fill(index + 1))
const ledger = createLedger({ isBlockedReceiver: () => false })

const freshState = (): Overlay => new Overlay(new LatestState(openMemoryStore(), 1_000))

/** All balances, by account and denomination. */
const balancesOf = (state: Overlay): ReadonlyMap<string, bigint> =>
  new Map(
    [MODULE, ...OWNERS].flatMap((address) =>
      DENOMS.map((denom) => [bytesToKey(address) + denom, ledger.balance(state, address, denom)] as const),
    ),
  )

it(
  'escrow and settle move all or nothing, and keep the supply',
  seeded(30, (random) => {
    const state = freshState()
    for (const owner of OWNERS) for (const denom of DENOMS) mint(state, owner, { denom, amount: 1_000n })
    let refusals = 0
    for (let step = 0; step < 500; step++) {
      const before = new Map(balancesOf(state))
      const isEscrow = random.chance(50)
      const entries: readonly EscrowEntry[] = Array.from({ length: random.below(6) }, () => ({
        owner: random.pick(OWNERS),
        denom: random.pick(DENOMS),
        amount: BigInt(random.below(400)),
      }))
      const model = new Map(before)
      for (const { owner, denom, amount } of entries) {
        const change = isEscrow ? amount : -amount
        for (const [address, by] of [
          [owner, -change],
          [MODULE, change],
        ] as const) {
          const key = bytesToKey(address) + denom
          model.set(key, (model.get(key) ?? 0n) + by)
        }
      }
      const isPossible = [...model.values()].every((balance) => balance >= 0n)
      const move = (): void => (isEscrow ? ledger.escrow : ledger.settle)(state, MODULE, entries)
      if (isPossible) move()
      else {
        refusals++
        expect(move).toThrow(CodedError)
        expect(move).toThrow(expect.objectContaining({ codespace: 'sdk', code: 5 }) as Error)
      }
      expect(balancesOf(state)).toEqual(isPossible ? model : before)
      for (const denom of DENOMS) expect(ledger.supply(state, denom)).toBe(5_000n)
    }
    expect(refusals).toBeGreaterThan(20)
  }),
)

it('an owner with nothing left is no account, and one that gets coins becomes one', () => {
  const state = freshState()
  const [owner] = OWNERS as [Uint8Array]
  mint(state, owner, { denom: DENOMINATION, amount: 7n })
  ledger.escrow(state, MODULE, [{ owner, denom: DENOMINATION, amount: 7n }])
  expect(state.account(owner)).toBeUndefined()
  expect(state.account(MODULE)?.balance).toBe(7n)
  ledger.settle(state, MODULE, [{ owner, denom: DENOMINATION, amount: 7n }])
  expect(state.account(owner)?.balance).toBe(7n)
  expect(state.account(MODULE)).toBeUndefined()
})

import { expect, it } from 'vitest'
import type { Address } from '../../core/address.ts'
import { compareBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { seededRandom } from '../../store/testing/seeded-random.ts'
import { type Holder, mergeHolders, mint, readBalances, readOtherHolders } from './keeper/balances.ts'

const address = (number: number): Address => Uint8Array.from({ length: 20 }, (_, index) => (index === 3 ? number : 7))
const DENOMS = ['anat', 'aaa', 'ibc/1', 'zzz']

it.each([1, 2, 3, 4])('holders of accounts and of other denominations come together in order, seed %i', (seed) => {
  const random = seededRandom(seed)
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  const expected = new Map<string, Holder>()
  for (let number = 0; number < 200; number++) {
    const owner = address(number)
    for (const denom of DENOMS) if (random(10) < 3) mint(state, owner, { denom, amount: BigInt(number + 1) })
    const coins = readBalances(state, owner, 10)
    if (coins.length > 0) expected.set(bytesToHex(owner), { address: owner, coins })
  }
  const accounts = [...expected.values()]
    .map(({ address: owner }) => owner)
    .filter((owner) => state.account(owner) !== undefined)
    .sort(compareBytes)
    .map((owner) => [owner, state.account(owner)?.balance ?? 0n] as const)
  expect([...mergeHolders(accounts, readOtherHolders(state))]).toEqual([...expected.values()])
  expect(accounts.length).toBeGreaterThan(20)
  expect(accounts.length).toBeLessThan(expected.size)
})

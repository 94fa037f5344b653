import { describe, expect, it } from 'vitest'
import { proposalBytes } from '../../../core/proposal-bytes.ts'
import { attestationsThatFit, bridgeReserveBytes, capBytes, injectedBytes, longestClobTx, shareBytes } from './caps.ts'
import type { FittingBody } from './ids.ts'
import { Room } from './room.ts'
import type { ListedId } from './types.ts'

const BUDGET = 512 * 1024

describe('the table of caps', () => {
  // validators, cap, longest ClobTx, attestations, those beside a quarter of bodies, injected bytes, share, ClobTx of 300 bytes.
  it.each([
    [1, 131_072, 4_096, 9_286, 6_945, 131_154, 2_097_152, 6_908],
    [4, 131_072, 4_096, 9_286, 6_945, 524_592, 2_097_152, 6_908],
    [20, 26_214, 4_096, 1_796, 1_328, 525_768, 2_097_152, 6_908],
    [100, 5_242, 2_621, 324, 231, 531_608, 2_097_152, 6_908],
    [256, 2_048, 1_024, 125, 88, 543_240, 2_097_152, 6_908],
    [401, 2_048, 1_024, 125, 88, 850_930, 2_097_152, 6_908],
    [1_000, 2_048, 1_024, 125, 88, 2_122_008, 827_112, 2_717],
  ])('of %i validators', (validators, cap, longest, most, besideBodies, injected, share, orders) => {
    expect(capBytes(BUDGET, validators)).toBe(cap)
    expect(longestClobTx(cap)).toBe(longest)
    expect(attestationsThatFit(cap, 0)).toBe(most)
    expect(attestationsThatFit(cap, Math.floor(cap / 4))).toBe(besideBodies)
    expect(injectedBytes(validators, cap)).toBe(injected)
    expect(shareBytes(validators, cap)).toBe(share)
    expect(ordersOf(300, 1, { shareBytes: share, weight: 40_000 })).toBe(orders)
  })

  it('holds what a block takes by its weight', () => {
    const limits = { shareBytes: 2 * 1024 * 1024, weight: 40_000 }
    expect(ordersOf(150, 1, limits)).toBe(13_681)
    expect(ordersOf(20, 1, limits)).toBe(39_001)
    expect(ordersOf(150, 20, limits)).toBe(1_951)
    expect(ordersOf(300, 1_000, limits)).toBe(40)
  })
})

/** How many of a kind a block takes, all of one phase. */
const ordersOf = (bytes: number, weight: number, limits: { readonly shareBytes: number; readonly weight: number }) => {
  const listed: ListedId = { id: '', phase: 2, salt: new Uint8Array(32), age: 0, isWidelyAttested: false }
  const list = Array.from({ length: 50_000 }, () => listed)
  const room = new Room(list, limits)
  const body = { raw: new Uint8Array(bytes), body: { weight } } as FittingBody
  let taken = 0
  for (const { phase } of list) {
    if (!room.hasRoomFor(phase)) continue
    room.take(phase, body)
    taken++
  }
  return taken
}

describe('a cap', () => {
  it('shares the budget, and stays within its bounds for any set', () => {
    for (const budget of [0, 1, BUDGET, 2 * BUDGET]) {
      for (let validators = 0; validators <= 1_100; validators++) {
        const cap = capBytes(budget, validators)
        expect(cap).toBeGreaterThanOrEqual(2_048)
        expect(cap).toBeLessThanOrEqual(131_072)
        if (cap > 2_048) expect(cap * validators).toBeLessThanOrEqual(budget)
        // A body as long as can be, with its tag and length, stands beside the reserve of the bridge.
        expect(proposalBytes(longestClobTx(cap)) + bridgeReserveBytes(cap) + 40).toBeLessThanOrEqual(cap)
        expect(attestationsThatFit(cap, cap)).toBe(0)
      }
    }
  })

  it('leaves a proposer 192 KiB beside votes and orders, as long as anything is left', () => {
    for (let validators = 1; validators <= 2_000; validators++) {
      const cap = capBytes(2 * BUDGET, validators)
      const share = shareBytes(validators, cap)
      expect(share).toBeGreaterThanOrEqual(0)
      if (share > 0) {
        expect(share + injectedBytes(validators, cap) + 192 * 1024).toBeLessThanOrEqual(3 * 1024 * 1024)
      }
    }
  })
})

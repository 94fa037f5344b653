import { expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import type { StateReader } from '../../store/state.ts'
import { CallGas } from './call-gas.ts'
import { MeteredState } from './metered-state.ts'

const SYSTEM = new Uint8Array(20)
const PREFIX = Uint8Array.of(1)
const ITEMS = 1_000
const ITEM_BYTES = 10_000

const countingState = () => {
  let read = 0
  const all = Array.from({ length: ITEMS }, (_, at) => [
    Uint8Array.of(1, at >> 8, at & 0xff),
    new Uint8Array(ITEM_BYTES),
  ]) as [Uint8Array, Uint8Array][]
  const values: StateReader['values'] = (_system, _prefix, limit, start = PREFIX) => {
    const page = all.filter(([key]) => Buffer.compare(key, start) >= 0).slice(0, limit)
    read += page.length
    return page
  }
  return { state: { values } as unknown as StateReader, all, read: () => read }
}

it('gives a scan in its order up to the limit', () => {
  const { state, all } = countingState()
  const metered = new MeteredState(state, new CallGas(10n ** 9n))
  expect(metered.values(SYSTEM, PREFIX, 100)).toEqual(all.slice(0, 100))
  expect(metered.values(SYSTEM, PREFIX, 5_000)).toEqual(all)
  expect(metered.values(SYSTEM, PREFIX, 40, all[990]?.[0])).toEqual(all.slice(990))
})

it('reads hardly more of long items than the gas pays for', () => {
  const { state, read } = countingState()
  // Enough for two items, and of short ones for hundreds.
  const gas = new CallGas(70_000n)
  expect(() => new MeteredState(state, gas).values(SYSTEM, PREFIX, ITEMS)).toThrow(CodedError)
  expect(gas.isExhausted).toBe(true)
  expect(read()).toBeLessThanOrEqual(16)
})

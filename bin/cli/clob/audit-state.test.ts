import { describe, expect, it } from 'vitest'
import { bytesToKey, compareBytes, concatBytes } from '../../../core/bytes.ts'
import {
  accountKey,
  CLOB_ACCOUNT,
  marketKey,
  NEXT_KEY,
  noncesKey,
  orderKey,
  QUEUE_KEY,
} from '../../../modules/clob/index.ts'
import { type KnownValues, ListedState, StepState } from './audit-state.ts'

const value = (byte: number): Uint8Array => Uint8Array.of(byte)
const OWNER = new Uint8Array(20).fill(0xfe)

describe('the listed state', () => {
  const keys = [noncesKey(3), orderKey(2, 1), orderKey(1, 256), orderKey(1, 255), orderKey(1, 2), NEXT_KEY]
  const known: KnownValues = new Map(keys.map((key, index) => [bytesToKey(key), value(index)]))
  known.set(bytesToKey(orderKey(1, 7)), undefined)
  const state = new ListedState(known)

  it('lists what is there below a prefix in the order of bytes, page by page', () => {
    const prefix = orderKey(1, 0).subarray(0, -8)
    const all = state.values(CLOB_ACCOUNT, prefix, 10).map(([key]) => key)
    expect(all).toEqual([orderKey(1, 2), orderKey(1, 255), orderKey(1, 256)])
    const pages: Uint8Array[] = []
    for (let start = prefix; ; ) {
      const [first] = state.values(CLOB_ACCOUNT, prefix, 1, start)
      if (first === undefined) break
      pages.push(first[0])
      start = concatBytes(first[0], Uint8Array.of(0))
    }
    expect(pages).toEqual(all)
    const everything = state.values(CLOB_ACCOUNT, new Uint8Array(0), 100).map(([key]) => key)
    expect(everything).toEqual(keys.toSorted(compareBytes))
  })

  it('has each value, and none where it is absent', () => {
    expect(state.value(CLOB_ACCOUNT, orderKey(2, 1))).toEqual(value(1))
    expect(state.value(CLOB_ACCOUNT, orderKey(1, 7))).toBeUndefined()
  })
})

describe('the state of a step', () => {
  it('notes what nobody has proven yet, and answers nothing in its place', () => {
    const state = new StepState(new Map([[bytesToKey(NEXT_KEY), value(5)]]), new Map(), new Map())
    expect(state.value(CLOB_ACCOUNT, NEXT_KEY)).toEqual(value(5))
    expect(state.isWhole).toBe(true)
    expect(state.value(CLOB_ACCOUNT, accountKey(OWNER))).toBeUndefined()
    expect(state.balance(OWNER, 'anat')).toBe(0n)
    expect([...state.missing.keys.values()]).toEqual([accountKey(OWNER)])
    expect([...state.missing.balances.values()]).toEqual([{ owner: OWNER, denom: 'anat' }])
    expect(state.isWhole).toBe(false)
  })

  it('knows all markets: another one is none', () => {
    const state = new StepState(new Map(), new Map(), new Map())
    expect(state.value(CLOB_ACCOUNT, marketKey(9))).toBeUndefined()
    expect(state.isWhole).toBe(true)
  })

  it('keeps what the step writes, but for what the books hold', () => {
    const state = new StepState(new Map([[bytesToKey(QUEUE_KEY), value(1)]]), new Map(), new Map())
    state.setValue(CLOB_ACCOUNT, QUEUE_KEY, undefined)
    state.setValue(CLOB_ACCOUNT, orderKey(1, 1), value(2))
    state.setValue(CLOB_ACCOUNT, noncesKey(1), value(3))
    expect(state.value(CLOB_ACCOUNT, QUEUE_KEY)).toBeUndefined()
    expect([...state.writes.keys()]).toEqual([bytesToKey(QUEUE_KEY)])
  })
})

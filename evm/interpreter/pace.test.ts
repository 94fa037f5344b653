/** An execution that gives way: it ends as if it had not, and others run meanwhile. */
import { expect, it } from 'vitest'
import type { ExecuteOptions } from '../engine.ts'
import { isEvmError } from '../errors.ts'
import { COLLECT, ENGINE_BLOCK, ENGINE_MESSAGE, freshState } from '../testing/describe-engine.ts'
import { createInterpreterEngine } from './create-engine.ts'

const engine = await createInterpreterEngine()
const MESSAGE = { ...ENGINE_MESSAGE, gasLimit: 16_000_000n }
/** SSTORE of 1 at 1 first, so that there is something to leave behind. */
const STORES = '0x6001600155'

/** Gives way at every look. */
const always = (meanwhile: () => void = () => undefined) => {
  const pace = {
    isYieldDue: true,
    count: 0,
    async yield(): Promise<void> {
      pace.count++
      await Promise.resolve()
      meanwhile()
    },
  }
  return pace
}

const execute = (code: string, more: Partial<ExecuteOptions> = {}) => {
  const state = freshState(code)
  return { state, outcome: engine.execute(state, ENGINE_BLOCK, MESSAGE, { ...COLLECT, ...more }) }
}

const LONG: readonly (readonly [string, string])[] = [
  ['jumps for ever', '5b600556'],
  ['jumps for ever on a condition', '5b6001600557'],
  ['hashes without a jump', '62100000600020'.repeat(80)],
  ['calls itself', '5f5f5f5f5f305af1'],
  ['calls a precompile for ever', '5b5f5f60806000600662030d40fa50600556'],
]

it.each(LONG)('%s: it gives way again and again, with the result of one that does not', async (_, code) => {
  const pace = always()
  const { state, outcome } = execute(`${STORES}${code}`, { pace })
  expect(outcome).toBeInstanceOf(Promise)
  const whole = execute(`${STORES}${code}`)
  expect(await outcome).toEqual(whole.outcome)
  expect(state.changes()).toEqual(whole.state.changes())
  expect(pace.count).toBeGreaterThan(10)
})

it('one that is never told to is executed at once', () => {
  const pace = { isYieldDue: false, yield: () => Promise.reject(new Error('not asked for')) }
  expect(execute(`${STORES}5b600556`, { pace }).outcome).toEqual(execute(`${STORES}5b600556`).outcome)
})

it('others run meanwhile over their own states, and none over the same', async () => {
  const others: unknown[] = []
  const { state, outcome } = execute(`${STORES}5b600556`, {
    pace: always(() => {
      if (others.length < 5) others.push(execute('0x600160015500').outcome)
      expect(() => engine.execute(state, ENGINE_BLOCK, MESSAGE, COLLECT)).toThrow('two executions at once')
    }),
  })
  expect(await outcome).toEqual(execute(`${STORES}5b600556`).outcome)
  expect(others).toHaveLength(5)
  for (const other of others) expect(other).toEqual(execute('0x600160015500').outcome)
})

it('one that turns out too heavy after it gave way leaves nothing behind', async () => {
  const state = freshState(`${STORES}5b60018060018060018090065b600556`)
  const before = state.account(ENGINE_MESSAGE.sender)
  const pace = always()
  const outcome = await engine.execute(state, ENGINE_BLOCK, MESSAGE, { ...COLLECT, pace, weightLimit: 60_000_000 })
  expect(outcome.valid).toBe(false)
  expect(!outcome.valid && isEvmError(outcome.error, 'overWeight')).toBe(true)
  expect(state.account(ENGINE_MESSAGE.sender)).toEqual(before)
  // The engine and the state are free for the next one.
  expect(engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)).toMatchObject({ valid: true })
})

it('what its pace throws ends it, and leaves nothing behind', async () => {
  const state = freshState(`${STORES}5b600556`)
  const before = state.account(ENGINE_MESSAGE.sender)
  const pace = { isYieldDue: true, yield: () => Promise.reject(new Error('the node stops')) }
  await expect(engine.execute(state, ENGINE_BLOCK, MESSAGE, { ...COLLECT, pace })).rejects.toThrow('the node stops')
  expect(state.account(ENGINE_MESSAGE.sender)).toEqual(before)
})

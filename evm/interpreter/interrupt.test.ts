/** An execution that nobody wants any more: it ends between two instructions, and leaves nothing behind. */
import { expect, it } from 'vitest'
import { COLLECT, ENGINE_BLOCK, ENGINE_MESSAGE, freshState } from '../testing/describe-engine.ts'
import { createInterpreterEngine } from './create-engine.ts'

const engine = await createInterpreterEngine()
const GAS = 16_000_000n

class Enough extends Error {}

/** Counts the looks at an execution, and ends it at the one that is named. */
const run = (code: string, endAt = Number.POSITIVE_INFINITY) => {
  let looks = 0
  const interrupt = (): void => {
    if (++looks >= endAt) throw new Enough('enough')
  }
  const state = freshState(code)
  const before = state.account(ENGINE_MESSAGE.sender)
  const execute = () =>
    engine.execute(state, ENGINE_BLOCK, { ...ENGINE_MESSAGE, gasLimit: GAS }, { ...COLLECT, interrupt })
  return { execute, looks: () => looks, state, before }
}

/** SSTORE of 1 at 1 first, so that there is something to leave behind. */
const STORES = '0x6001600155'

it.each([
  ['jumps for ever', '5b600556'],
  ['jumps for ever on a condition', '5b6001600557'],
  // 0x100000 bytes hashed 80 times in a row, without a jump.
  ['hashes without a jump', '62100000600020'.repeat(80)],
  ['calls itself', '5f5f5f5f5f305af1'],
])('%s: looked at again and again, and ended', (_, code) => {
  const whole = run(`${STORES}${code}`)
  void whole.execute()
  // Once for the frame, and once at least for a million gas.
  expect(whole.looks()).toBeGreaterThan(10)
  const ended = run(`${STORES}${code}`, 5)
  expect(ended.execute).toThrow(Enough)
  expect(ended.looks()).toBe(5)
  expect(ended.state.account(ENGINE_MESSAGE.sender)).toEqual(ended.before)
  // The engine is free for the next one, which nobody interrupts.
  const next = engine.execute(freshState('0x600160015500'), ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)
  expect(next).toMatchObject({ valid: true, result: { failure: undefined } })
})

it('looking changes no result', () => {
  const code = `${STORES}5b600556`
  const { execute } = run(code)
  expect(execute()).toEqual(
    engine.execute(freshState(code), ENGINE_BLOCK, { ...ENGINE_MESSAGE, gasLimit: GAS }, COLLECT),
  )
})

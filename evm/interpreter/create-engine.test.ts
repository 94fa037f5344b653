import { describe, expect, it } from 'vitest'
import { padLeft } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import type { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import type { Engine, ExecutionOutcome } from '../engine.ts'
import { withoutWeight } from '../testing/without-weight.ts'
import { createEthereumjsEngine } from '../reference/create-engine.ts'
import { COLLECT, describeEngine, ENGINE_BLOCK, ENGINE_MESSAGE, freshState } from '../testing/describe-engine.ts'
import { createInterpreterEngine } from './create-engine.ts'

const engine = await createInterpreterEngine()

describeEngine(engine)

const both = async (message: Partial<typeof ENGINE_MESSAGE>, code: string): Promise<readonly ExecutionOutcome[]> => {
  const execute = (by: Engine) => by.execute(freshState(code), ENGINE_BLOCK, { ...ENGINE_MESSAGE, ...message }, COLLECT)
  return [await execute(engine), await execute(await createEthereumjsEngine())]
}

it('answers at once', () => {
  const outcome = engine.execute(freshState('0x6001600055'), ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)
  expect(outcome).toMatchObject({ valid: true, result: { gasUsed: 43_106n } })
})

describe('deep frames', () => {
  // Calls itself with all gas until the depth or the gas ends.
  const CALLS_ITSELF = '0x5f5f5f5f5f305af1505f5ff3'

  it('do not overflow the stack of JavaScript', async () => {
    const gasLimit = 900_000_000_000n
    const block = { ...ENGINE_BLOCK, hardfork: 'prague' } as const
    let deepest = 0
    const outcome = await engine.execute(
      freshState(CALLS_ITSELF),
      block,
      { ...ENGINE_MESSAGE, gasLimit },
      { ...COLLECT, onEnter: ({ depth }) => void (deepest = Math.max(deepest, depth)) },
    )
    expect(outcome).toMatchObject({ valid: true, result: { failure: undefined } })
    // The one beyond 1,024 below the outermost is entered and refused.
    expect(deepest).toBe(1_026)
  })

  it('hold a full stack each', async () => {
    // 1,000 times PUSH0, then the same.
    const code = `0x${'5f'.repeat(1_000)}${CALLS_ITSELF.slice(2)}`
    const [mine, theirs] = await both({ gasLimit: 16_000_000n }, code)
    expect(mine && withoutWeight(mine)).toEqual(theirs && withoutWeight(theirs))
  })
})

describe('more gas than numbers count exactly', () => {
  it('is left to the reference', async () => {
    const block = { ...ENGINE_BLOCK, hardfork: 'prague' } as const
    const state = freshState('0x5a5f5260205ff3')
    const gasLimit = 2n ** 60n
    const message = { ...ENGINE_MESSAGE, gasLimit, maxFeePerGas: 7n, maxPriorityFeePerGas: 0n }
    state.setAccount(message.sender, { ...state.account(message.sender), balance: 2n ** 70n } as never)
    const outcome = await engine.execute(state, block, message, COLLECT)
    const left = padLeft(hexToBytes(`0x0${(gasLimit - 21_000n - 2n).toString(16)}`), 32)
    expect(outcome).toMatchObject({ valid: true, result: { returnData: left } })
  })
})

describe('what an observer throws', () => {
  it.each([
    ['in the outermost frame', '5f5f5f5f60045afa'],
    ['in one below', '5f5f5f5f6001305af1'],
  ])('%s leaves the state as it was, and the engine usable', (_, code) => {
    // Writes, then calls the identity, or itself with a value.
    const state = freshState(`0x600160005560015f55${code}`)
    const before = state.account(ENGINE_MESSAGE.sender)
    const stop = new TypeError('enough')
    let entered = 0
    const onEnter = (): void => {
      if (++entered > 1) throw stop
    }
    expect(() => engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, { ...COLLECT, onEnter })).toThrow(stop)
    expect(state.account(ENGINE_MESSAGE.sender)).toEqual(before)
    expect(() => state.changes()).not.toThrow()
    expect(engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)).toMatchObject({ valid: true })
  })
})

describe('moved precompiles', () => {
  it('answer at their new place and not at the old one', () => {
    const [from, to] = [padLeft(Uint8Array.of(4), 20), new Uint8Array(20).fill(0x77)]
    // Calls the address in the call data with one word and returns what comes back.
    const code = '0x602a5f5260205f60205f5f355afa503d5f5f3e3d5ff3'
    const call = (target: Uint8Array): ExecutionOutcome =>
      engine.execute(
        freshState(code),
        ENGINE_BLOCK,
        { ...ENGINE_MESSAGE, data: padLeft(target, 32) },
        { ...COLLECT, precompileMoves: [{ from, to }] },
      ) as ExecutionOutcome
    expect(call(to)).toMatchObject({ valid: true, result: { returnData: padLeft(Uint8Array.of(42), 32) } })
    expect(call(from)).toMatchObject({ valid: true, result: { returnData: new Uint8Array(0) } })
  })
})

describe('a balance at the end of 256 bits, which only overrides of calls reach', () => {
  const MOST = 2n ** 256n - 1n
  const OWNER = new Uint8Array(20).fill(0x99)
  const HEIR = '77'.repeat(20)
  // Gives five away, and returns whether that was done, and what it has then.
  const GIVES = `0x5f5f5f5f600573${HEIR}5af15f524760205260405ff3`

  const stateWith = (code: string, target: string): Overlay => {
    const state = freshState(target)
    const { to } = ENGINE_MESSAGE
    invariant(to !== undefined, 'a call')
    state.setAccount(to, { ...(state.account(to) ?? EMPTY_ACCOUNT), balance: 16n })
    const codeHash = code === '0x' ? EMPTY_ACCOUNT.codeHash : state.setCode(hexToBytes(code))
    state.setAccount(OWNER, { ...EMPTY_ACCOUNT, balance: MOST, codeHash })
    return state
  }

  it('begins anew from zero, as in geth', async () => {
    // Calls the owner with one anat, and returns what it returns.
    const state = stateWith(GIVES, `0x60405f5f5f600173${'99'.repeat(20)}5af15060405ff3`)
    const outcome = await engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)
    expect(outcome).toMatchObject({ valid: true, result: { failure: undefined, returnData: new Uint8Array(64) } })
    expect(state.account(OWNER)?.balance).toBe(0n)
  })

  it('leaves no account behind that has nothing', async () => {
    const state = stateWith('0x', `0x5f5f5f5f600173${'99'.repeat(20)}5af100`)
    await engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)
    expect(state.account(OWNER)).toBeUndefined()
    const plain = stateWith('0x', '0x')
    const message = { ...ENGINE_MESSAGE, to: OWNER, value: 1n }
    expect(await engine.execute(plain, ENGINE_BLOCK, message, COLLECT)).toMatchObject({ valid: true })
    expect(plain.account(OWNER)).toBeUndefined()
  })
})

/** Contracts that native precompiles call: frames as any other, below the one of the precompile. */
import { describe, expect, it } from 'vitest'
import type { Address } from '../core/address.ts'
import { bigintToBytes, bytesToBigint, concatBytes, EMPTY_BYTES, padLeft } from '../core/bytes.ts'
import { bytesToHex } from '../core/hex.ts'
import type { Overlay } from '../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../store/state.ts'
import type { ExecuteOptions, FrameEntry, FrameExit, Message } from './engine.ts'
import { isEvmError } from './errors.ts'
import { createInterpreterEngine } from './interpreter/create-engine.ts'
import type { NativeCall, NativePrecompiles, NativeResult, NativeSubcallResult } from './native-precompiles.ts'
import { precompileAddress } from './precompile-addresses.ts'
import { code, op, type Part } from './testing/assembler.ts'
import { COLLECT, ENGINE_BLOCK, ENGINE_MESSAGE, freshState } from './testing/describe-engine.ts'
import { WEIGHT } from './weight.ts'

const engine = await createInterpreterEngine()
const NATIVE = precompileAddress(0x900)
const { to: CONTRACT } = ENGINE_MESSAGE as { to: Address }
const CALLEE: Address = new Uint8Array(20).fill(0xca)
const SIGNER: Address = new Uint8Array(20).fill(0x51)
const ESCROW: Address = new Uint8Array(20).fill(0xee)
const SUBGAS = 60_000n
const slot = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), 32)

/** Calls the callee as its input says: first byte 1 is static, second byte 1 reverts behind it, the rest is the call's input. */
const createNative = () => {
  const answers: (NativeSubcallResult | undefined)[] = []
  const run = ({ input, call, precompile }: NativeCall): NativeResult => {
    const subcall = { from: ESCROW, to: CALLEE, input: input.slice(2), gas: SUBGAS, isStatic: input[0] === 1 }
    const first = call?.(subcall)
    answers.push(first === undefined ? undefined : { ...first, output: first.output.slice() })
    const fails = input[1] === 1
    return {
      gasUsed: 500n + (first?.gasUsed ?? 0n),
      output: first?.output ?? EMPTY_BYTES,
      logs: fails ? [] : [{ address: precompile, topics: [], data: Uint8Array.of(1) }],
      events: [],
      failure: fails ? { kind: 'revert', message: 'execution reverted' } : undefined,
    }
  }
  const native: NativePrecompiles = { addresses: [NATIVE], heirRefusal: () => undefined, run }
  return { native, answers }
}

const put = (state: Overlay, address: Address, ...parts: readonly Part[]): void =>
  state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 10n, codeHash: state.setCode(code(...parts)) })

const run = async (callee: readonly Part[], message: Partial<Message>, options: Partial<ExecuteOptions> = {}) => {
  const { native, answers } = createNative()
  const [entries, exits]: [FrameEntry[], FrameExit[]] = [[], []]
  const state = freshState()
  put(state, CALLEE, ...callee)
  const outcome = await engine.execute(
    state,
    ENGINE_BLOCK,
    { ...ENGINE_MESSAGE, to: NATIVE, gasLimit: 500_000n, ...message },
    {
      ...COLLECT,
      nativePrecompiles: native,
      onEnter: (entry) => void entries.push(entry),
      onExit: (exit) => void exits.push(exit),
      ...options,
    },
  )
  return { outcome, state, answers, entries, exits }
}

const resultOf = ({ outcome }: Awaited<ReturnType<typeof run>>) => {
  if (!outcome.valid) throw outcome.error
  return outcome.result
}

/** Stores 7 at 1, logs, and returns its caller and the first word of its input. */
const ORDINARY: readonly Part[] = [
  ...op('SSTORE', 1n, 7n),
  ...op('LOG0', 0n, 0n),
  ...op('MSTORE', 0n, 'CALLER'),
  0n,
  'CALLDATALOAD',
  32n,
  'MSTORE',
  ...op('RETURN', 0n, 64n),
]
const MODES = (isStatic: boolean, reverts: boolean): Uint8Array =>
  concatBytes(Uint8Array.of(isStatic ? 1 : 0, reverts ? 1 : 0), slot(0xabcdn))

describe('a contract that a precompile calls', () => {
  it('sees the caller that the precompile names, writes, logs before it, and stands below it in traces', async () => {
    const world = await run(ORDINARY, { data: MODES(false, false) })
    const result = resultOf(world)
    expect(result.failure).toBeUndefined()
    const output = world.answers[0]?.output ?? EMPTY_BYTES
    expect([bytesToBigint(output.subarray(0, 32)), bytesToBigint(output.subarray(32))]).toEqual([
      bytesToBigint(ESCROW),
      0xabcdn,
    ])
    expect(bytesToHex(result.returnData)).toBe(bytesToHex(output))
    expect(world.state.storage(CALLEE, slot(1n))).toEqual(Uint8Array.of(7))
    expect(result.logs.map(({ address }) => bytesToHex(address))).toEqual([bytesToHex(CALLEE), bytesToHex(NATIVE)])
    expect(world.entries.map(({ kind, depth, from, to }) => [kind, depth, bytesToHex(from), bytesToHex(to)])).toEqual([
      ['CALL', 1, bytesToHex(ENGINE_MESSAGE.sender), bytesToHex(NATIVE)],
      ['CALL', 2, bytesToHex(ESCROW), bytesToHex(CALLEE)],
    ])
    expect(world.exits.map(({ depth }) => depth)).toEqual([2, 1])
  })

  it('uses as much gas as in a frame that a contract opens', async () => {
    const direct = await run(ORDINARY, { to: CALLEE, data: slot(0xabcdn) })
    const world = await run(ORDINARY, { data: MODES(false, false) })
    const intrinsic = (bytes: Uint8Array): bigint =>
      21_000n + bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n)
    expect(world.answers[0]?.gasUsed).toBe(resultOf(direct).gasBeforeRefund - intrinsic(slot(0xabcdn)))
  })

  it('may write nothing in a static call, and takes its gas with it then', async () => {
    const world = await run(ORDINARY, { data: MODES(true, false) })
    expect(world.answers[0]).toMatchObject({ gasUsed: SUBGAS, failure: { kind: 'other', message: 'write protection' } })
    expect(world.state.storage(CALLEE, slot(1n))).toEqual(EMPTY_BYTES)
  })

  it('loses what it wrote and logged where the precompile fails behind it', async () => {
    const world = await run(ORDINARY, { data: MODES(false, true) })
    const result = resultOf(world)
    expect(result).toMatchObject({ failure: { kind: 'revert' }, logs: [] })
    expect(world.state.storage(CALLEE, slot(1n))).toEqual(EMPTY_BYTES)
  })

  it.each([
    ['reverts', op('REVERT', 0n, 0n), 'revert'],
    ['burns all that it got', ['INVALID'] as const, 'other'],
  ])('that %s fails alone', async (_, callee, kind) => {
    const world = await run(callee, { data: MODES(false, false) })
    expect(resultOf(world).failure).toBeUndefined()
    expect(world.answers[0]?.failure?.kind).toBe(kind)
  })

  it('reaches precompiles, but none that calls again', async () => {
    const forward: readonly Part[] = [
      ...op('CALLDATACOPY', 0n, 0n, 'CALLDATASIZE'),
      ...op('CALL', 'GAS', NATIVE, 0n, 0n, 'CALLDATASIZE', 0n, 0n),
      0n,
      'MSTORE',
      ...op('RETURN', 0n, 32n),
    ]
    const world = await run(forward, { data: concatBytes(Uint8Array.of(0, 0), MODES(false, false)) })
    expect(world.answers).toHaveLength(2)
    expect(world.answers[0]).toBeUndefined()
    expect(bytesToBigint(world.answers[1]?.output ?? EMPTY_BYTES)).toBe(1n)
  })

  it('leaves a contract that called the precompile as it was: stack, memory and gas', async () => {
    const state: Part[] = [
      ...op('MSTORE', 64n, 0x77n),
      0x1234n,
      ...op('CALL', 400_000n, NATIVE, 0n, 0n, 34n, 96n, 64n),
      32n,
      'MSTORE',
      0n,
      'MSTORE',
      ...op('RETURN', 0n, 160n),
    ]
    const { native } = createNative()
    const world = freshState()
    put(world, CALLEE, ...ORDINARY)
    put(world, CONTRACT, ...state)
    const outcome = await engine.execute(
      world,
      ENGINE_BLOCK,
      { ...ENGINE_MESSAGE, to: CONTRACT, gasLimit: 900_000n },
      { ...COLLECT, nativePrecompiles: native },
    )
    if (!outcome.valid) throw outcome.error
    const words = [0, 1, 2, 3].map((at) => bytesToBigint(outcome.result.returnData.subarray(at * 32, at * 32 + 32)))
    expect(words).toEqual([0x1234n, 1n, 0x77n, bytesToBigint(ESCROW)])
  })

  it('counts in the weight of the transaction, which stops where it is too heavy', async () => {
    const data = MODES(false, false)
    const { weight } = resultOf(await run(ORDINARY, { data }))
    expect(weight).toBeGreaterThan(WEIGHT.transaction + WEIGHT.coldAccount + WEIGHT.precompile)
    const stopped = await run(ORDINARY, { data }, { weightLimit: weight - 1 })
    expect(!stopped.outcome.valid && isEvmError(stopped.outcome.error, 'overWeight')).toBe(true)
    expect(resultOf(await run(ORDINARY, { data }, { weightLimit: weight })).weight).toBe(weight)
  })
})

describe('a contract that a native message calls', () => {
  const callContract = (
    callee: readonly Part[],
    more: { readonly isStatic?: boolean; readonly weightLimit?: number } = {},
  ) => {
    const { native } = createNative()
    const state = freshState()
    put(state, CALLEE, ...callee)
    state.checkpoint()
    const result = engine.callContract(state, ENGINE_BLOCK, {
      from: ESCROW,
      to: CALLEE,
      origin: SIGNER,
      input: slot(0xabcdn),
      gas: SUBGAS,
      isStatic: false,
      weightLimit: Number.POSITIVE_INFINITY,
      nativePrecompiles: native,
      ...more,
    })
    return { state, result }
  }

  it('pays nothing, leaves nonces, and says what it used, logged and weighs', () => {
    const { state, result } = callContract(ORDINARY)
    expect(result.failure).toBeUndefined()
    expect(bytesToBigint(result.output.subarray(0, 32))).toBe(bytesToBigint(ESCROW))
    expect(result.logs).toHaveLength(1)
    expect(state.account(ESCROW)).toBeUndefined()
    expect(state.storage(CALLEE, slot(1n))).toEqual(Uint8Array.of(7))
    expect(result.weight).toBeGreaterThan(WEIGHT.gas * Number(result.gasUsed))
    state.revert()
    expect(state.storage(CALLEE, slot(1n))).toEqual(EMPTY_BYTES)
  })

  it('shows whose message it is as the origin', () => {
    const { output } = callContract([...op('MSTORE', 0n, 'ORIGIN'), ...op('RETURN', 0n, 32n)]).result
    expect(bytesToBigint(output)).toBe(bytesToBigint(SIGNER))
  })

  it('writes nothing where it fails or is static', () => {
    const { state, result } = callContract([...ORDINARY.slice(0, 3), 'INVALID'])
    expect(result).toMatchObject({ gasUsed: SUBGAS, logs: [], failure: { kind: 'other' } })
    expect(state.storage(CALLEE, slot(1n))).toEqual(EMPTY_BYTES)
    expect(callContract(ORDINARY, { isStatic: true }).result.failure?.message).toBe('write protection')
  })

  it('is stopped where it weighs too much, and leaves no trace', () => {
    const { weight } = callContract(ORDINARY).result
    expect(() => callContract(ORDINARY, { weightLimit: weight - 1 })).toThrow('work for longer')
    expect(callContract(ORDINARY, { weightLimit: weight }).result.weight).toBe(weight)
  })
})

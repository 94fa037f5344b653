/** Native precompiles in frames of both engines; every outcome must be the same in both. */
import { describe, expect, it } from 'vitest'
import type { Address } from '../core/address.ts'
import { bytesToBigint, EMPTY_BYTES, utf8ToBytes } from '../core/bytes.ts'
import { InvariantError } from '../core/errors.ts'
import { ZERO_HASH } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import type { Overlay } from '../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../store/state.ts'
import { delegationCode } from './delegation.ts'
import type { Engine, ExecuteOptions, ExecutionResult, FrameExit, Message } from './engine.ts'
import { createEthereumjsEngine } from './reference/create-engine.ts'
import { createInterpreterEngine } from './interpreter/create-engine.ts'
import type { NativeCall, NativePrecompiles, NativeResult } from './native-precompiles.ts'
import { precompileAddress } from './precompile-addresses.ts'
import { code, load, op, type Part } from './testing/assembler.ts'
import { COLLECT, ENGINE_BLOCK, ENGINE_MESSAGE, freshState } from './testing/describe-engine.ts'

const ENGINES: readonly (readonly [string, Engine])[] = [
  ['the interpreter', await createInterpreterEngine()],
  ['the reference', await createEthereumjsEngine()],
]

const NATIVE = precompileAddress(0x900)
const SYSTEM: Address = new Uint8Array(20).fill(0x5e)
const KEY = utf8ToBytes('key')
const { sender: SENDER, to: CONTRACT } = ENGINE_MESSAGE as { sender: Address; to: Address }
const RECEIVER: Address = new Uint8Array(20).fill(0x77)
const CHILD: Address = new Uint8Array(20).fill(0xdd)
const GAS = 1_234n

const WRITE = 0x01
const REVERT = 0x02
const EXHAUST = 0x03
const FAULT = 0x04

/** Writes a value and moves one anat from its caller; then it fails as the first byte of the input says. */
const createNative = () => {
  const calls: (Omit<NativeCall, 'state' | 'input' | 'call'> & { readonly input: string })[] = []
  const run = ({ state, input, call: _, ...call }: NativeCall): NativeResult => {
    calls.push({ ...call, input: bytesToHex(input) })
    const [mode] = input
    if (mode === FAULT) throw new InvariantError('a fault of the node')
    const done = { gasUsed: GAS, output: Uint8Array.of(0xab, mode ?? 0), logs: [], events: [], failure: undefined }
    if (call.gas < GAS || mode === EXHAUST) {
      return { ...done, gasUsed: call.gas, output: EMPTY_BYTES, failure: { kind: 'other', message: 'out of gas' } }
    }
    if (call.isDelegated) return { ...done, failure: { kind: 'revert', message: 'execution reverted' } }
    if (mode === undefined || call.isStatic) return done
    state.setValue(SYSTEM, KEY, input.slice())
    const from = state.account(call.caller) ?? EMPTY_ACCOUNT
    if (from.balance > 0n) {
      state.setAccount(call.caller, { ...from, balance: from.balance - 1n })
      const to = state.account(RECEIVER) ?? EMPTY_ACCOUNT
      state.setAccount(RECEIVER, { ...to, balance: to.balance + 1n })
    }
    if (mode === REVERT) return { ...done, failure: { kind: 'revert', message: 'execution reverted' } }
    return {
      ...done,
      logs: [{ address: NATIVE, topics: [ZERO_HASH], data: Uint8Array.of(mode) }],
      events: [{ type: 'native', attributes: [{ key: 'depth', value: String(call.depth), index: true }] }],
    }
  }
  const native: NativePrecompiles = { addresses: [NATIVE], heirRefusal: () => undefined, run }
  return { native, calls }
}

interface World {
  readonly result: ExecutionResult
  readonly state: Overlay
  readonly calls: ReturnType<typeof createNative>['calls']
  readonly exits: readonly FrameExit[]
}

const account = (state: Overlay, address: Address, parts: readonly Part[], balance = 10n): void =>
  state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, balance, codeHash: state.setCode(code(...parts)) })

const runIn = async (
  engine: Engine,
  prepare: (state: Overlay) => void,
  message: Partial<Message>,
  options: Partial<ExecuteOptions> = {},
): Promise<World> => {
  const { native, calls } = createNative()
  const exits: FrameExit[] = []
  const state = freshState()
  prepare(state)
  const outcome = await engine.execute(
    state,
    ENGINE_BLOCK,
    { ...ENGINE_MESSAGE, ...message },
    { ...COLLECT, nativePrecompiles: native, onExit: (exit) => void exits.push(exit), ...options },
  )
  if (!outcome.valid) throw outcome.error
  return { result: outcome.result, state, calls, exits }
}

const shown = ({ result, state, calls, exits }: World) => ({
  // The reference does not count all of the weight.
  result: { ...result, weight: 0, returnData: bytesToHex(result.returnData) },
  calls,
  exits: exits.map((exit) => ({ ...exit, returnData: bytesToHex(exit.returnData) })),
  value: state.value(SYSTEM, KEY),
  balances: [SENDER, CONTRACT, RECEIVER, CHILD, NATIVE].map((address) => state.account(address)?.balance ?? 0n),
})

/** Runs the case in both engines, which must agree. */
const run = async (
  prepare: (state: Overlay) => void,
  message: Partial<Message> = {},
  options: Partial<ExecuteOptions> = {},
): Promise<World> => {
  const [first, second] = ENGINES.map(([, engine]) => runIn(engine, prepare, message, options))
  if (first === undefined || second === undefined) throw new TypeError('two engines are compared')
  const [fast, slow] = [await first, await second]
  expect(shown(fast)).toEqual(shown(slow))
  return fast
}

const GAS_FOR_CALL = 100_000n
/** Puts the input at 0, calls, and leaves the flag on the stack. */
const call = (opcode: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL', mode: number, to = NATIVE, value = 0n) => [
  ...load(Uint8Array.of(mode)),
  ...(opcode === 'CALL' || opcode === 'CALLCODE'
    ? op(opcode, GAS_FOR_CALL, to, value, 0n, 1n, 0n, 0n)
    : op(opcode, GAS_FOR_CALL, to, 0n, 1n, 0n, 0n)),
]
/** Returns the flag, and what the call returned behind it. */
const RETURN_FLAG: readonly Part[] = [
  0n,
  'MSTORE',
  ...op('RETURNDATACOPY', 32n, 0n, 'RETURNDATASIZE'),
  ...op('RETURN', 0n, 64n),
]
const flagOf = ({ result }: World): bigint => bytesToBigint(result.returnData.subarray(0, 32))

describe('a native precompile', () => {
  it('is called by a transaction, writes, logs, and tells its events', async () => {
    const world = await run(() => undefined, { to: NATIVE, data: Uint8Array.of(WRITE, 0xff) })
    expect(world.result.failure).toBeUndefined()
    expect(world.result.returnData).toEqual(Uint8Array.of(0xab, WRITE))
    expect(world.state.value(SYSTEM, KEY)).toEqual(Uint8Array.of(WRITE, 0xff))
    expect(world.state.account(RECEIVER)?.balance).toBe(1n)
    expect(world.result.logs).toEqual([{ address: NATIVE, topics: [ZERO_HASH], data: Uint8Array.of(WRITE) }])
    expect(world.result.nativeEvents.map(({ type }) => type)).toEqual(['native'])
    // 21,000, two bytes of data, and its own.
    expect(world.result.gasUsed).toBe(21_000n + 32n + GAS)
    expect(world.calls).toEqual([
      {
        precompile: NATIVE,
        caller: SENDER,
        value: 0n,
        input: '0x01ff',
        gas: 1_000_000n - 21_032n,
        isStatic: false,
        isDelegated: false,
        depth: 1,
      },
    ])
  })

  it('is called by a contract, which acts for itself', async () => {
    const world = await run((state) => account(state, CONTRACT, [...call('CALL', WRITE), ...RETURN_FLAG]))
    expect(flagOf(world)).toBe(1n)
    expect(world.result.returnData.subarray(32, 34)).toEqual(Uint8Array.of(0xab, WRITE))
    expect(world.calls[0]).toMatchObject({ caller: CONTRACT, depth: 2, gas: GAS_FOR_CALL, isStatic: false })
    expect(world.state.account(CONTRACT)?.balance).toBe(9n)
  })

  it('sees a balance that code then sees changed', async () => {
    const world = await run((state) =>
      account(state, CONTRACT, [
        ...call('CALL', WRITE),
        'POP',
        ...op('SELFBALANCE'),
        ...op('BALANCE', RECEIVER),
        0n,
        'MSTORE',
        32n,
        'MSTORE',
        ...op('RETURN', 0n, 64n),
      ]),
    )
    expect(bytesToBigint(world.result.returnData.subarray(0, 32))).toBe(1n)
    expect(bytesToBigint(world.result.returnData.subarray(32, 64))).toBe(9n)
  })

  it('is undone with its own frame: the caller gets the data and the gas that was left', async () => {
    const world = await run((state) => account(state, CONTRACT, [...call('CALL', REVERT), ...RETURN_FLAG]))
    expect(flagOf(world)).toBe(0n)
    expect(world.result.returnData.subarray(32, 34)).toEqual(Uint8Array.of(0xab, REVERT))
    expect(world.result.failure).toBeUndefined()
    expect(world.state.value(SYSTEM, KEY)).toBeUndefined()
    expect(world.state.account(RECEIVER)).toBeUndefined()
    expect(world.result.gasUsed).toBeLessThan(30_000n)
  })

  it('takes all gas of its frame where it runs out of it', async () => {
    const world = await run((state) => account(state, CONTRACT, [...call('CALL', EXHAUST), ...RETURN_FLAG]))
    expect(flagOf(world)).toBe(0n)
    expect(world.result.gasUsed).toBeGreaterThan(21_000n + GAS_FOR_CALL)
    expect(world.exits[0]?.failure).toEqual({ kind: 'other', message: 'out of gas' })
  })

  it('fails a transaction with its data or its words', async () => {
    const reverted = await run(() => undefined, { to: NATIVE, data: Uint8Array.of(REVERT) })
    expect(reverted.result.failure).toEqual({ kind: 'revert', message: 'execution reverted' })
    expect(reverted.result.returnData).toEqual(Uint8Array.of(0xab, REVERT))
    expect(reverted.result.gasUsed).toBe(21_016n + GAS)
    const exhausted = await run(() => undefined, { to: NATIVE, data: Uint8Array.of(EXHAUST) })
    expect(exhausted.result.failure).toEqual({ kind: 'other', message: 'out of gas' })
    expect(exhausted.result.gasUsed).toBe(1_000_000n)
    for (const { result, state } of [reverted, exhausted]) {
      expect([result.logs, result.nativeEvents]).toEqual([[], []])
      expect(state.account(RECEIVER)).toBeUndefined()
    }
  })

  it('is undone with a frame around it that reverts, and with what that frame wrote', async () => {
    const world = await run((state) => {
      account(state, CHILD, [...op('SSTORE', 1n, 2n), ...call('CALL', WRITE), 'POP', ...op('REVERT', 0n, 0n)])
      account(state, CONTRACT, [...call('CALL', WRITE, CHILD), 'POP', ...call('CALL', WRITE), ...RETURN_FLAG])
    })
    expect(world.calls.map(({ caller, depth }) => [caller, depth])).toEqual([
      [CHILD, 3],
      [CONTRACT, 2],
    ])
    expect(world.result.logs.length).toBe(1)
    expect(world.result.nativeEvents.map(({ attributes }) => attributes[0]?.value)).toEqual(['2'])
    expect(world.state.account(CHILD)?.balance).toBe(10n)
    expect(world.state.account(RECEIVER)?.balance).toBe(1n)
  })

  it('is undone with the transaction', async () => {
    const world = await run((state) =>
      account(state, CONTRACT, [...call('CALL', WRITE), 'POP', ...op('REVERT', 0n, 0n)]),
    )
    expect([world.result.logs, world.result.nativeEvents]).toEqual([[], []])
    expect(world.state.value(SYSTEM, KEY)).toBeUndefined()
  })

  it('is told that it must not write, in the static call itself and in calls below it', async () => {
    const direct = await run((state) => account(state, CONTRACT, [...call('STATICCALL', WRITE), ...RETURN_FLAG]))
    expect(direct.calls[0]).toMatchObject({ isStatic: true, isDelegated: false, depth: 2 })
    const below = await run((state) => {
      account(state, CHILD, [...call('CALL', WRITE), ...RETURN_FLAG])
      account(state, CONTRACT, [...call('STATICCALL', WRITE, CHILD), ...RETURN_FLAG])
    })
    expect(below.calls[0]).toMatchObject({ isStatic: true, caller: CHILD, depth: 3 })
    for (const { state } of [direct, below]) expect(state.value(SYSTEM, KEY)).toBeUndefined()
  })

  it.each(['DELEGATECALL', 'CALLCODE'] as const)('is told of a %s', async (opcode) => {
    const world = await run((state) => account(state, CONTRACT, [...call(opcode, WRITE), ...RETURN_FLAG]))
    expect(world.calls[0]).toMatchObject({ isDelegated: true, isStatic: false })
    expect(flagOf(world)).toBe(0n)
    expect(world.state.value(SYSTEM, KEY)).toBeUndefined()
  })

  it('gets the value that a call sends, or gives it back', async () => {
    const kept = await run((state) => account(state, CONTRACT, [...call('CALL', WRITE, NATIVE, 3n), ...RETURN_FLAG]))
    expect(kept.calls[0]).toMatchObject({ value: 3n, gas: GAS_FOR_CALL + 2_300n })
    expect(kept.state.account(NATIVE)?.balance).toBe(3n)
    expect(kept.state.account(CONTRACT)?.balance).toBe(6n)
    const back = await run((state) => account(state, CONTRACT, [...call('CALL', REVERT, NATIVE, 3n), ...RETURN_FLAG]))
    expect(back.state.account(CONTRACT)?.balance).toBe(10n)
    const plain = await run(() => undefined, { to: NATIVE, value: 5n }, { onExit: () => undefined })
    expect(plain.calls.length).toBe(1)
  })

  it('is no plain transfer, also where nobody listens to frames', async () => {
    for (const [, engine] of ENGINES) {
      const { native, calls } = createNative()
      const state = freshState()
      const message = { ...ENGINE_MESSAGE, to: NATIVE, value: 5n }
      const outcome = await engine.execute(state, ENGINE_BLOCK, message, { ...COLLECT, nativePrecompiles: native })
      expect(outcome).toMatchObject({ valid: true, result: { gasUsed: 21_000n + GAS } })
      expect(calls.length).toBe(1)
    }
  })

  it('is warm from the start, and its code is what the state holds', async () => {
    const world = await run((state) => {
      account(state, NATIVE, ['INVALID'], 0n)
      account(state, CONTRACT, [
        ...op('EXTCODESIZE', NATIVE),
        32n,
        'MSTORE',
        ...op('BALANCE', NATIVE),
        'POP',
        ...op('RETURN', 0n, 64n),
      ])
    })
    expect(world.calls).toEqual([])
    expect(bytesToBigint(world.result.returnData.subarray(32, 64))).toBe(1n)
    // A cold look alone would cost 2,600.
    expect(world.result.gasUsed).toBeLessThan(21_000n + 400n)
  })

  it('runs while a contract is created, which may then act for itself', async () => {
    const world = await run(() => undefined, {
      to: undefined,
      value: 4n,
      data: code(...call('CALL', WRITE), 'POP', ...op('RETURN', 0n, 0n)),
    })
    expect(world.result.failure).toBeUndefined()
    expect(world.calls[0]?.caller).toEqual(world.result.createdAddress)
    expect(world.state.account(world.result.createdAddress ?? SENDER)?.balance).toBe(3n)
  })

  it('lends no code to an account that delegates to it (EIP-7702)', async () => {
    const world = await run((state) => {
      account(state, NATIVE, ['INVALID'], 0n)
      state.setAccount(CHILD, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: state.setCode(delegationCode(NATIVE)) })
      account(state, CONTRACT, [...call('CALL', WRITE, CHILD), ...RETURN_FLAG])
    })
    expect(flagOf(world)).toBe(1n)
    expect(world.calls).toEqual([])
  })

  it('answers at another address, or at none, where an override of a call moves it', async () => {
    const to: Address = new Uint8Array(20).fill(0x66)
    const moved = await run(
      () => undefined,
      { to, data: Uint8Array.of(WRITE) },
      { precompileMoves: [{ from: NATIVE, to }] },
    )
    expect(moved.calls[0]).toMatchObject({ precompile: NATIVE, isDelegated: false })
    const removed = await run(
      () => undefined,
      { to: NATIVE, data: Uint8Array.of(WRITE) },
      { precompileMoves: [{ from: NATIVE, to: undefined }] },
    )
    expect(removed.calls).toEqual([])
  })

  it('stops at the deepest frame like any call', async () => {
    const world = await run(
      (state) => {
        // Calls itself with all gas as deep as it can, and the precompile in every frame.
        const self = op('CALL', 'GAS', CONTRACT, 0n, 0n, 0n, 0n, 0n)
        account(state, CONTRACT, [...call('STATICCALL', WRITE), 'POP', ...self, 'POP', 'STOP'])
      },
      { gasLimit: 16_000_000n },
    )
    expect(world.calls.length).toBeGreaterThan(100)
  })

  it.each(ENGINES)('comes out of %s as it threw, and leaves the state as it was', async (_, engine) => {
    const prepare = (state: Overlay): void =>
      account(state, CONTRACT, [...call('CALL', WRITE), 'POP', ...call('CALL', FAULT), ...RETURN_FLAG])
    const state = freshState()
    prepare(state)
    const { native } = createNative()
    const options = { ...COLLECT, nativePrecompiles: native }
    const attempt = async () => engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, options)
    await expect(attempt()).rejects.toThrow(InvariantError)
    expect(state.value(SYSTEM, KEY)).toBeUndefined()
    expect(state.account(SENDER)?.nonce).toBe(0n)
    // It goes on.
    const after = await engine.execute(
      state,
      ENGINE_BLOCK,
      { ...ENGINE_MESSAGE, to: NATIVE, data: Uint8Array.of(WRITE) },
      options,
    )
    expect(after).toMatchObject({ valid: true, result: { failure: undefined } })
  })

  it('is an ordinary address without the port', async () => {
    for (const [, engine] of ENGINES) {
      const state = freshState()
      const message = { ...ENGINE_MESSAGE, to: NATIVE, data: Uint8Array.of(WRITE) }
      const outcome = await engine.execute(state, ENGINE_BLOCK, message, COLLECT)
      expect(outcome).toMatchObject({ valid: true, result: { gasUsed: 21_040n, failure: undefined, nativeEvents: [] } })
    }
  })
})

/** What a transaction weighs: bounded by its gas, and the same whoever looks on. */
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../core/hex.ts'
import { MAX_TRANSACTION_GAS, MAX_TRANSACTION_WEIGHT } from '../core/limits.ts'
import { LatestState } from '../store/latest.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { Overlay } from '../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../store/state.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionResult, Message } from './engine.ts'
import { EVM_ERROR } from './errors.ts'
import { createInterpreterEngine } from './interpreter/create-engine.ts'
import type { NativePrecompiles } from './native-precompiles.ts'
import { WEIGHT } from './weight.ts'

const engine = await createInterpreterEngine()
const SENDER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0x77)
const BLOCK: BlockEnvironment = {
  number: 1_000,
  timestamp: 1_700_000_000,
  coinbase: new Uint8Array(20).fill(0xcc),
  gasLimit: 1_000_000_000n,
  baseFeePerGas: 1n,
  blobBaseFee: 1n,
  prevRandao: new Uint8Array(32),
  chainId: 2517n,
  hardfork: 'osaka',
  blockHash: () => undefined,
}
const OPTIONS: ExecuteOptions = { fees: 'collect', checks: 'transaction' }

const freshState = (code: string): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  state.setAccount(SENDER, { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  const codeHash = state.setCode(hexToBytes(`0x${code}`))
  state.setAccount(TARGET, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 10n ** 18n, codeHash })
  state.beginTransaction()
  return state
}

const MESSAGE: Message = {
  type: 2,
  sender: SENDER,
  to: TARGET,
  nonce: 0n,
  gasLimit: MAX_TRANSACTION_GAS,
  value: 0n,
  data: new Uint8Array(0),
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
  accessList: [],
  authorizationList: [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: undefined,
}

const execute = (code: string, message: Partial<Message> = {}, options: Partial<ExecuteOptions> = {}) => {
  const outcome = engine.execute(freshState(code), BLOCK, { ...MESSAGE, ...message }, { ...OPTIONS, ...options })
  if (outcome instanceof Promise) throw new TypeError('the interpreter has become asynchronous')
  return outcome
}

const resultOf = (outcome: ReturnType<typeof execute>): ExecutionResult => {
  if (!outcome.valid) throw outcome.error
  return outcome.result
}

/** JUMPDEST, the unit as often as it fits, and back. */
const loop = (unit: string, times = 20): string => `5b${unit.repeat(times)}5f56`

/** Calls of a precompile that fail: all that the call is given is taken. */
const callOf = (number: string, gas: string, inputBytes: string): string =>
  `5f5f61${inputBytes}5f61${number}62${gas}fa50`

const UNITS: Readonly<Record<string, string>> = {
  'cold slots': '5a5450',
  'new slots': '5a805560',
  'cold accounts': '5a3150',
  'sizes of cold code': '5a3b50',
  'hashes of one byte': '60015f2050',
  'hashes of 4 KB': '6110005f2050',
  'logs of four topics': '5f5f5f5f5f5fa4',
  'logs without topics': '5f5fa0',
  divisions: '60035f190450',
  'modular multiplications': '60035f195f190950',
  powers: '5f195f190a50',
  'own balances': '4750',
  'calls of oneself without gas': '5f5f5f5f305ffa50',
  'calls with value': '5f5f5f5f60015a5ff150',
  creations: '5f5f5ff050',
  'salted creations': '5a6110005f5ff550',
  'point evaluations': callOf('000a', '00c350', '00c0'),
  'multiplications on bn254': callOf('0007', '001770', '0060'),
  'blake2f of no rounds': callOf('0009', '000000', '00d5'),
  identities: callOf('0004', '0000ff', '0000'),
  'transient slots': '5a805d',
}

describe('a transaction of the most gas weighs no more than any block has room for', () => {
  it.each(Object.entries(UNITS))('of %s', (_, unit) => {
    const result = resultOf(execute(loop(unit)))
    expect(result.weight).toBeGreaterThan(Number(result.gasBeforeRefund) * WEIGHT.gas)
    expect(result.weight).toBeLessThanOrEqual(MAX_TRANSACTION_WEIGHT)
  })

  it('of access lists', () => {
    const storageKeys = Array.from({ length: 8_000 }, (_, index) => {
      const key = new Uint8Array(32)
      new DataView(key.buffer).setUint32(28, index)
      return key
    })
    const { weight } = resultOf(execute('00', { accessList: [{ address: TARGET, storageKeys }] }))
    expect(weight).toBeGreaterThan(storageKeys.length * WEIGHT.coldSlot)
    expect(weight).toBeLessThanOrEqual(MAX_TRANSACTION_WEIGHT)
  })
})

describe('the weight of a transaction', () => {
  const everything = `${Object.values(UNITS).join('')}00`

  it('does not depend on who looks on', () => {
    const untraced = resultOf(execute(everything))
    const silent = (): undefined => undefined
    for (const hooks of [
      { onStep: silent },
      { onEnter: silent, onExit: silent },
      { onAccess: silent, onLog: silent },
    ]) {
      expect(resultOf(execute(everything, {}, hooks))).toEqual(untraced)
    }
  })

  it('is the same for a transfer that enters no frame and for one that is traced', () => {
    const silent = (): undefined => undefined
    const to = new Uint8Array(20).fill(0x99)
    for (const message of [
      { to, value: 5n },
      { to, data: new Uint8Array(5_000).fill(1) },
      { to, accessList: [{ address: TARGET, storageKeys: [new Uint8Array(32)] }] },
      { to: SENDER, value: 1n },
    ]) {
      const traced = resultOf(execute('00', message, { onEnter: silent, onExit: silent }))
      expect(resultOf(execute('00', message))).toEqual(traced)
    }
  })

  it('does not depend on what an earlier execution has left in caches', () => {
    const first = resultOf(execute(everything))
    for (let time = 0; time < 3; time++) expect(resultOf(execute(everything))).toEqual(first)
  })

  it('counts what a frame did that is undone', () => {
    // Calls itself with a word of data: then it reads ten cold slots and reverts, or stops.
    const read = '5a5450'.repeat(10)
    const inner = `${read}5f5ffd`
    const outer = '5f5f60015f5f305af100'
    const code = `36601057${outer}`.padEnd(32, '0') + `5b${inner}`
    const { weight, failure } = resultOf(execute(code))
    expect(failure).toBeUndefined()
    expect(weight).toBeGreaterThan(10 * WEIGHT.coldSlot + WEIGHT.transaction)
  })

  it('counts copies, and the first use of each transient slot', () => {
    const weightOf = (unit: string, times: number): number => resultOf(execute(`${unit.repeat(times)}00`)).weight
    const beyondGas = (unit: string, gas: number): number =>
      (weightOf(unit, 20) - weightOf(unit, 10)) / 10 - gas * WEIGHT.gas - (unit.length / 2) * WEIGHT.codeByte
    expect(beyondGas('5a5a5d', 104)).toBeGreaterThanOrEqual(WEIGHT.transientSlot)
    expect(beyondGas('5a5c50', 104)).toBeGreaterThanOrEqual(WEIGHT.transientSlot)
    expect(beyondGas('5f5c50', 104)).toBe(0)
    for (const opcode of ['37', '39', '3e', '5e']) expect(beyondGas(`5f5f5f${opcode}`, 9)).toBe(WEIGHT.copy)
  })

  it('counts a call of a precompile that has no gas for it', () => {
    const native: NativePrecompiles = {
      addresses: [hexToBytes('0x0000000000000000000000000000000000000804')],
      heirRefusal: () => undefined,
      run: ({ gas }) => ({
        gasUsed: gas,
        output: new Uint8Array(0),
        logs: [],
        events: [],
        failure: { kind: 'other', message: 'out of gas' },
      }),
    }
    const weightOf = (calls: number, number: string): number =>
      resultOf(execute(`${callOf(number, '000000', '0000').repeat(calls)}00`, {}, { nativePrecompiles: native })).weight
    for (const number of ['0804', '0005']) {
      const ten = weightOf(10, number) - weightOf(0, number)
      expect(ten).toBeGreaterThanOrEqual(10 * (WEIGHT.precompile + WEIGHT.frame))
    }
  })

  it('is refused above the limit, and nothing is left of it', () => {
    const whole = resultOf(execute(everything))
    expect(execute(everything, {}, { weightLimit: whole.weight })).toMatchObject({ valid: true })
    for (const weightLimit of [whole.weight - 1, whole.weight / 2, WEIGHT.transaction, 0]) {
      const outcome = execute(everything, {}, { weightLimit })
      expect(outcome).toMatchObject({ valid: false, error: { code: EVM_ERROR.overWeight } })
    }
    const state = freshState(everything)
    const before = state.account(SENDER)
    void engine.execute(state, BLOCK, MESSAGE, { ...OPTIONS, weightLimit: whole.weight / 2 })
    expect(state.account(SENDER)).toEqual(before)
    expect(engine.execute(state, BLOCK, MESSAGE, OPTIONS)).toMatchObject({ valid: true })
  })
})

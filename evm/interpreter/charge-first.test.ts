/** Nothing is read from the state, computed, or told to whoever watches, before the gas for it is there. */
import { describe, expect, it } from 'vitest'
import { bytesToKey, EMPTY_BYTES } from '../../core/bytes.ts'
import { Overlay } from '../../store/overlay.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateReader } from '../../store/state.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionOutcome } from '../engine.ts'
import { PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { createEthereumjsEngine } from '../reference/create-engine.ts'
import { code, op, type Part } from '../testing/assembler.ts'
import { startWeight, WEIGHT } from '../weight.ts'
import { ENGINE_BLOCK, ENGINE_MESSAGE } from '../testing/describe-engine.ts'
import { createInterpreterEngine } from './create-engine.ts'

const engine = await createInterpreterEngine()
const engines = [engine, await createEthereumjsEngine()] as const
const TRIES = 50
const VICTIM = new Uint8Array(20).fill(0x71)
const ATTACKER = ENGINE_MESSAGE.to ?? new Uint8Array(20)

/** A state of a few accounts that counts what else it is asked for. */
const watchedState = (codes: readonly (readonly [address: Uint8Array, code: Uint8Array])[]) => {
  const asked = new Set<string>()
  const known = new Set(
    [ENGINE_MESSAGE.sender, ENGINE_BLOCK.coinbase, ...codes.map(([address]) => address)].map(bytesToKey),
  )
  const base: StateReader = {
    account: (address): AccountState | undefined => {
      if (!known.has(bytesToKey(address))) asked.add(bytesToKey(address))
      return undefined
    },
    storage: (address, slot) => {
      asked.add(bytesToKey(address) + bytesToKey(slot))
      return EMPTY_BYTES
    },
    code: () => EMPTY_BYTES,
    value: () => undefined,
    values: () => [],
  }
  const state = new Overlay(base)
  state.setAccount(ENGINE_MESSAGE.sender, { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  for (const [address, bytes] of codes) {
    state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: state.setCode(bytes) })
  }
  return { state, asked }
}

const execute = (state: Overlay, options: Partial<ExecuteOptions> = {}, block: BlockEnvironment = ENGINE_BLOCK) => {
  state.beginTransaction()
  const message = { ...ENGINE_MESSAGE, gasLimit: 10_000_000n }
  const outcome = engine.execute(state, block, message, { fees: 'collect', checks: 'transaction', ...options })
  expect(outcome).toMatchObject({ valid: true, result: { failure: undefined } })
  return outcome as ExecutionOutcome
}

/** Calls the victim again and again, each time with another word and as much gas. */
const caller = (gas: bigint): Uint8Array =>
  code(
    ...Array.from({ length: TRIES }, (_, index): Part[] => [
      ...op('MSTORE', 0n, 0x7000_0000n + BigInt(index)),
      ...op('STATICCALL', gas, VICTIM, 0n, 32n, 0n, 0n),
      'POP',
    ]).flat(),
  )

/** What each needs of gas beside its access, from PUSHes, CALLDATALOAD and memory. */
const INSTRUCTIONS: readonly (readonly [name: string, parts: readonly Part[], gas: bigint])[] = [
  ['SLOAD', ['SLOAD'], 2_100n],
  ['BALANCE', ['BALANCE'], 2_600n],
  ['EXTCODESIZE', ['EXTCODESIZE'], 2_600n],
  ['EXTCODEHASH', ['EXTCODEHASH'], 2_600n],
]
const WORD: readonly Part[] = [0n, 'CALLDATALOAD']
const WORD_GAS = 5n

const readsWith = (program: readonly Part[], gas: bigint): number => {
  const { state, asked } = watchedState([
    [VICTIM, code(...program)],
    [ATTACKER, caller(gas)],
  ])
  execute(state)
  return asked.size
}

describe('reads', () => {
  for (const [name, parts, gas] of INSTRUCTIONS) {
    it(`${name} reads what is paid for, and nothing with one gas less`, () => {
      expect(readsWith([...WORD, ...parts], gas + WORD_GAS)).toBe(TRIES)
      expect(readsWith([...WORD, ...parts], gas + WORD_GAS - 1n)).toBe(0)
    })
  }

  it('EXTCODECOPY reads when its access, its word and its memory are paid for', () => {
    const program: Part[] = [1n, 0n, 0n, ...WORD, 'EXTCODECOPY']
    const gas = 3n + 2n + 2n + WORD_GAS + 2_600n + 3n + 3n
    expect(readsWith(program, gas)).toBe(TRIES)
    expect(readsWith(program, gas - 1n)).toBe(0)
  })

  for (const opcode of ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const) {
    it(`${opcode} reads its target when the access is paid for`, () => {
      const zeros = Array.from({ length: opcode === 'CALL' || opcode === 'CALLCODE' ? 5 : 4 }, () => 0n)
      const program: Part[] = [...zeros, ...WORD, 0n, opcode]
      const gas = 2n * BigInt(zeros.length) + WORD_GAS + 2n + 2_600n
      expect(readsWith(program, gas)).toBe(TRIES)
      expect(readsWith(program, gas - 1n)).toBe(0)
    })
  }

  it('a slot of an access list is read when something asks for it', () => {
    const { state, asked } = watchedState([[ATTACKER, code(...op('SLOAD', 1n))]])
    const word = (last: number): Uint8Array => new Uint8Array(32).fill(last, 31)
    const accessList = [{ address: ATTACKER, storageKeys: [word(1), word(2), word(3)] }]
    state.beginTransaction()
    const message = { ...ENGINE_MESSAGE, gasLimit: 1_000_000n, type: 1, accessList }
    const outcome = engine.execute(state, ENGINE_BLOCK, message, { fees: 'collect', checks: 'transaction' })
    // 21,000, the list, PUSH1 and a warm SLOAD.
    expect(outcome).toMatchObject({ valid: true, result: { gasUsed: 21_000n + 2_400n + 3n * 1_900n + 3n + 100n } })
    expect(asked.size).toBe(1)
  })
})

describe('precompiles', () => {
  it('each weighs a look at its input without gas, and more where it gets enough', async () => {
    const addresses = PRECOMPILE_ADDRESSES.osaka
    const callAll = (gas: bigint): Uint8Array =>
      code(...addresses.flatMap((address) => [...op('STATICCALL', gas, address, 0n, 213n, 0n, 0n), 'POP' as const]))
    /** What the calls weigh beside the frames that they are. */
    const weighed = async (gas: bigint): Promise<number> => {
      const program = callAll(gas)
      const { state } = watchedState([[ATTACKER, program]])
      const message = { ...ENGINE_MESSAGE, gasLimit: 10_000_000n }
      const outcome = await engine.execute(state, ENGINE_BLOCK, message, { fees: 'collect', checks: 'transaction' })
      if (!outcome.valid) throw outcome.error
      const { weight, gasBeforeRefund } = outcome.result
      const rest = startWeight(message) + program.length * WEIGHT.codeByte + addresses.length * WEIGHT.frame
      return weight - rest - WEIGHT.gas * Number(gasBeforeRefund)
    }
    expect(await weighed(0n)).toBe(addresses.length * WEIGHT.precompile)
    expect(await weighed(100_000n)).toBeGreaterThan(addresses.length * WEIGHT.precompile)
  })

  it('BLAKE2F of four thousand million rounds without gas is nothing', async () => {
    const rounds = code(...op('MSTORE', 0n, 0xffff_ffffn << 224n), ...op('STATICCALL', 0n, 9n, 0n, 213n, 0n, 0n))
    for (const each of engines) {
      const { state } = watchedState([[ATTACKER, rounds]])
      const outcome = await each.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, {
        fees: 'collect',
        checks: 'transaction',
      })
      expect(outcome).toMatchObject({ valid: true })
    }
  })
})

describe('BLOCKHASH', () => {
  it('asks for each block once, absent ones too', () => {
    const asked: number[] = []
    const hash = new Uint8Array(32).fill(9)
    const block: BlockEnvironment = {
      ...ENGINE_BLOCK,
      number: 300,
      blockHash: (number) => {
        asked.push(number)
        return number === 299 ? hash : undefined
      },
    }
    const program = code(
      ...Array.from({ length: 20 }, (): Part[] => [
        ...op('BLOCKHASH', 44n),
        'POP',
        ...op('BLOCKHASH', 45n),
        'POP',
        ...op('BLOCKHASH', 43n),
        'POP',
      ]).flat(),
      ...op('BLOCKHASH', 299n),
      0n,
      'MSTORE',
      ...op('RETURN', 0n, 32n),
    )
    const { state } = watchedState([[ATTACKER, program]])
    expect(execute(state, {}, block)).toMatchObject({ result: { returnData: hash } })
    expect(asked).toEqual([44, 45, 299])
    execute(watchedState([[ATTACKER, program]]).state, {}, { ...block })
    expect(asked).toHaveLength(6)
  })
})

/** For tests: what every engine behind the port must do. */
import { describe, expect, it } from 'vitest'
import { contractAddress } from '../../core/address.ts'
import { bytesToBigint, bytesToKey, concatBytes, padLeft } from '../../core/bytes.ts'
import { keccak256, ZERO_HASH } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import type {
  BlockEnvironment,
  Engine,
  ExecuteOptions,
  ExecutionOutcome,
  ExecutionResult,
  FrameEntry,
  FrameExit,
  Message,
} from '../engine.ts'
import { HISTORY_STORAGE, SYSTEM_ADDRESS } from '../system-contracts.ts'

export const COLLECT: ExecuteOptions = { fees: 'collect', checks: 'transaction' }
const SENDER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)
const COINBASE = new Uint8Array(20).fill(0xcc)
const FUNDS = 10n ** 20n

export const ENGINE_BLOCK: BlockEnvironment = {
  number: 10,
  timestamp: 1_700_000_000,
  coinbase: COINBASE,
  gasLimit: 1_000_000_000n,
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
  prevRandao: ZERO_HASH,
  chainId: 2517n,
  hardfork: 'osaka',
  blockHash: () => undefined,
}
export const ENGINE_MESSAGE: Message = {
  type: 2,
  sender: SENDER,
  to: TARGET,
  nonce: 0n,
  gasLimit: 1_000_000n,
  value: 0n,
  data: new Uint8Array(0),
  maxFeePerGas: 20n,
  maxPriorityFeePerGas: 3n,
  accessList: [],
  authorizationList: [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: undefined,
}

export const freshState = (code?: string): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  state.setAccount(SENDER, { ...EMPTY_ACCOUNT, balance: FUNDS })
  if (code !== undefined) {
    state.setAccount(TARGET, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: state.setCode(hexToBytes(code)) })
  }
  return state
}

const resultOf = (outcome: ExecutionOutcome): ExecutionResult => {
  if (!outcome.valid) throw outcome.error
  return outcome.result
}
export const describeEngine = (engine: Engine): void => {
  const run = async (
    state: Overlay,
    message: Partial<Message> = {},
    options: ExecuteOptions = COLLECT,
  ): Promise<ExecutionResult> =>
    resultOf(await engine.execute(state, ENGINE_BLOCK, { ...ENGINE_MESSAGE, ...message }, options))

  const balance = (state: Overlay, address: Uint8Array): bigint => state.account(address)?.balance ?? 0n

  describe('plain transfers', () => {
    // Listening to frames forces the way through the interpreter: the library is the oracle here.
    const slow: ExecuteOptions = { ...COLLECT, onExit: () => undefined }

    it.each([
      ['some value', { value: 5n }],
      ['nothing to nobody', {}],
      ['data', { value: 1n, data: Uint8Array.of(0, 1, 2, 0, 3) }],
      ['to oneself', { to: SENDER, value: 9n }],
      ['to the coinbase', { to: COINBASE, value: 9n }],
      ['an access list', { accessList: [{ address: TARGET, storageKeys: [ZERO_HASH] }] }],
      ['all that is left', { value: FUNDS - 1_000_000n * 20n }],
      ['a legacy price', { type: 0, maxFeePerGas: 9n, maxPriorityFeePerGas: 9n }],
    ] as const)('of %s: synchronous, and equal to the interpreter', async (_, message) => {
      for (const fees of ['collect', 'burn'] as const) {
        const fastState = freshState()
        const slowState = freshState()
        const fast = engine.execute(fastState, ENGINE_BLOCK, { ...ENGINE_MESSAGE, ...message }, { ...COLLECT, fees })
        expect(fast).not.toBeInstanceOf(Promise)
        const slower = engine.execute(slowState, ENGINE_BLOCK, { ...ENGINE_MESSAGE, ...message }, { ...slow, fees })
        expect(await fast).toEqual(await slower)
        for (const address of [SENDER, TARGET, COINBASE]) {
          expect(fastState.account(address)).toEqual(slowState.account(address))
        }
      }
    })

    it('delete an empty account that they touch (EIP-161)', () => {
      const state = freshState()
      state.setAccount(TARGET, EMPTY_ACCOUNT)
      resultOf(engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT) as ExecutionOutcome)
      expect(state.account(TARGET)).toBeUndefined()
    })
  })

  describe('fees', () => {
    it('go to the coinbase whole, or without the base fee', async () => {
      for (const [fees, perGas] of [
        ['collect', 10n],
        ['burn', 3n],
      ] as const) {
        const state = freshState('0x6001600055')
        const result = await run(state, {}, { ...COLLECT, fees })
        expect(result.effectiveGasPrice).toBe(10n)
        expect(balance(state, COINBASE)).toBe(result.gasUsed * perGas)
        expect(balance(state, SENDER)).toBe(FUNDS - result.gasUsed * 10n)
      }
    })

    it('are not asked of a call without a price, and are of one with', async () => {
      const call: ExecuteOptions = { fees: 'none', checks: 'call' }
      const state = freshState('0x3a5f5260205ff3')
      const poor = new Uint8Array(20).fill(0xdd)
      const free = await run(state, { sender: poor, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, nonce: 99n }, call)
      expect(bytesToBigint(free.returnData)).toBe(0n)
      expect(state.account(COINBASE)).toBeUndefined()
      const priced = await engine.execute(
        state,
        ENGINE_BLOCK,
        { ...ENGINE_MESSAGE, sender: poor, maxFeePerGas: 9n },
        call,
      )
      expect(priced.valid ? '' : priced.error.message).toBe(
        'insufficient funds for gas * price + value: address 0xDDdDddDdDdddDDddDDddDDDDdDdDDdDDdDDDDDDd have 0 want 9000000',
      )
    })
  })

  describe('an invalid message', () => {
    it.each([
      [{ nonce: 1n }, 'nonce too high: address 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa, tx: 1 state: 0'],
      [{ gasLimit: 20_999n }, 'intrinsic gas too low: have 20999, want 21000'],
      [
        { maxFeePerGas: 6n },
        'max fee per gas less than block base fee: address 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa, maxFeePerGas: 6, baseFee: 7',
      ],
      [{ gasLimit: 16_777_217n }, 'transaction gas limit too high (cap: 16777216, tx: 16777217)'],
    ])('changes nothing and says why (%#)', async (message, text) => {
      const state = freshState('0x6001600055')
      const outcome = await engine.execute(state, ENGINE_BLOCK, { ...ENGINE_MESSAGE, ...message }, COLLECT)
      expect(outcome.valid ? '' : outcome.error.message).toBe(text)
      expect(state.account(SENDER)).toEqual({ ...EMPTY_ACCOUNT, balance: FUNDS })
    })
  })

  describe('failures of the outermost frame', () => {
    const DEPOSIT = 'contract creation code storage out of gas'

    it.each([
      ['5f5ffd', 'execution reverted'],
      ['600156', 'invalid jump destination'],
      ['5b5f56', 'out of gas'],
      ['fe', 'invalid opcode: INVALID'],
      ['0c', 'invalid opcode: opcode 0xc not defined'],
      ['5b5f600157b0', 'invalid opcode: opcode 0xb0 not defined'],
      ['50', 'stack underflow (0 <=> 1)'],
      ['5b5f600056', 'stack limit reached 1024 (1023)'],
      ['60015f5f3e', 'return data out of bounds'],
      ['60016801ffffffffffffffff52', 'gas uint64 overflow'],
      ['6001677fffffffffffffff52', 'out of gas: gas uint64 overflow'],
      ['60016401ffffffff52', 'out of gas'],
      [`61c3505f5ff0`, 'out of gas: max initcode size exceeded: size 50000'],
    ])('of the code 0x%s: %s', async (code, message) => {
      const result = await run(freshState(`0x${code}`), { gasLimit: 100_000n })
      expect(result.failure?.message).toBe(message)
      if (message === 'execution reverted') return
      expect(result.gasUsed).toBe(100_000n)
      expect(result.failure?.kind).toBe('other')
    })

    it('of SSTORE with no more gas than the stipend', async () => {
      const result = await run(freshState('0x6001600055'), { gasLimit: 21_000n + 2_306n })
      expect(result.failure?.message).toBe('out of gas: not enough gas for reentrancy sentry')
    })

    it.each([
      ['6160015ff3', 'max code size exceeded', 1_000_000n],
      ['60ef5f5360015ff3', 'invalid code: must not begin with 0xef', 1_000_000n],
      ['6101005ff3', DEPOSIT, 80_000n],
    ])('of the creation 0x%s: %s', async (code, message, gasLimit) => {
      const state = freshState()
      const result = await run(state, { to: undefined, data: hexToBytes(`0x${code}`), gasLimit })
      expect(result.failure).toEqual({ kind: 'other', message })
      expect(result.createdAddress).toEqual(contractAddress(SENDER, 0n))
      expect(state.account(contractAddress(SENDER, 0n))).toBeUndefined()
    })

    it('of a creation where something stands', async () => {
      const state = freshState()
      state.setAccount(contractAddress(SENDER, 0n), { ...EMPTY_ACCOUNT, nonce: 1n })
      const result = await run(state, { to: undefined, data: hexToBytes('0x00') })
      expect(result.failure?.message).toBe('contract address collision')
    })

    it('keep the data of a revert and drop the logs', async () => {
      const result = await run(freshState('0x60015f525f5fa060205ffd'))
      expect(result.failure).toEqual({ kind: 'revert', message: 'execution reverted' })
      expect(bytesToBigint(result.returnData)).toBe(1n)
      expect(result.logs).toEqual([])
    })
  })

  describe('accounts that destroy themselves in their creating transaction', () => {
    it('burn what they give to themselves', async () => {
      const state = freshState()
      const result = await run(state, { to: undefined, value: 77n, data: hexToBytes('0x30ff') })
      expect(result.burntAnat).toBe(77n)
      expect(state.account(contractAddress(SENDER, 0n))).toBeUndefined()
      expect(balance(state, SENDER) + balance(state, COINBASE)).toBe(FUNDS - 77n)
    })

    it('burn nothing when another account takes it', async () => {
      const state = freshState()
      const result = await run(state, { to: undefined, value: 77n, data: hexToBytes('0x60ccff') })
      expect(result.burntAnat).toBe(0n)
      expect(balance(state, padLeft(Uint8Array.of(0xcc), 20))).toBe(77n)
    })

    it('burn nothing in a frame that reverts', async () => {
      const state = freshState()
      // Creates with init code 0x30ff (SELFDESTRUCT to itself) and 5 anat, then reverts.
      const result = await run(state, {
        to: undefined,
        value: 5n,
        data: hexToBytes('0x6130ff5f526002601e6005f05f5ffd'),
      })
      expect(result.failure?.kind).toBe('revert')
      expect(result.burntAnat).toBe(0n)
    })
  })

  describe('logs and refunds', () => {
    it('come out exact', async () => {
      const state = freshState('0x5f5f5560aa5f5360015fa0')
      state.setStorage(TARGET, ZERO_HASH, Uint8Array.of(1))
      state.beginTransaction()
      const result = await run(state)
      // 21000 + PUSH0 x2, SSTORE (cold, cleared), MSTORE8 and LOG0 of a byte; clearing gives back 4800, at most a fifth.
      const spent = 21_000n + 4n + 5_000n + (3n + 2n + 3n + 3n) + (3n + 2n) + 375n + 8n
      expect(result.gasBeforeRefund).toBe(spent)
      expect(result.gasUsed).toBe(spent - 4_800n)
      expect(result.logs).toEqual([{ address: TARGET, topics: [], data: Uint8Array.of(0xaa) }])
    })
  })

  describe('system calls', () => {
    it('keep the hash of the parent (EIP-2935) and leave no trace of their caller', async () => {
      const state = freshState()
      state.setAccount(HISTORY_STORAGE.address, {
        ...EMPTY_ACCOUNT,
        nonce: 1n,
        codeHash: state.setCode(HISTORY_STORAGE.code),
      })
      const parent = keccak256(Uint8Array.of(1))
      await engine.systemCall(state, ENGINE_BLOCK, HISTORY_STORAGE.address, parent)
      expect(padLeft(state.storage(HISTORY_STORAGE.address, padLeft(Uint8Array.of(9), 32)), 32)).toEqual(parent)
      expect(state.account(SYSTEM_ADDRESS)).toBeUndefined()
    })

    it('do nothing without code', async () => {
      const state = freshState()
      await engine.systemCall(state, ENGINE_BLOCK, HISTORY_STORAGE.address, ZERO_HASH)
      expect(state.changes().accounts.has(bytesToKey(HISTORY_STORAGE.address))).toBe(false)
    })
  })

  describe('one state', () => {
    it('does not disturb another', async () => {
      const states = Array.from({ length: 4 }, () => freshState('0x6001600055'))
      const gas = await Promise.all(states.map(async (state) => (await run(state)).gasUsed))
      expect(new Set(gas)).toEqual(new Set([43_106n]))
    })
  })

  describe('frames', () => {
    it('nest, and show those that were refused', async () => {
      const events: string[] = []
      const onEnter = ({ kind, depth, value }: FrameEntry): void => void events.push(`${depth} ${kind} ${value}`)
      const onExit = ({ depth, failure }: FrameExit): void => void events.push(`${depth} ${failure?.message ?? 'ok'}`)
      // CALL 0x04 with 1 anat that it has not; STATICCALL 0x04; CREATE of nothing.
      const code = concatBytes(
        hexToBytes('0x5f5f5f5f600160045af1'),
        hexToBytes('0x5f5f5f5f60045afa'),
        hexToBytes('0x5f5f5ff0'),
      )
      await run(freshState(`0x${Buffer.from(code).toString('hex')}`), {}, { ...COLLECT, onEnter, onExit })
      expect(events).toEqual([
        '1 CALL 0',
        '2 CALL 1',
        '2 insufficient balance for transfer',
        '2 STATICCALL 0',
        '2 ok',
        '2 CREATE 0',
        '2 ok',
        '1 ok',
      ])
    })

    it('tell of logs and self-destructions as they happen, also where the frame fails later', async () => {
      const events: string[] = []
      const options: ExecuteOptions = {
        ...COLLECT,
        onEnter: ({ kind }) => void events.push(kind),
        onExit: ({ failure }) => void events.push(failure?.message ?? 'ok'),
        onLog: ({ topics, data }) => void events.push(`log ${topics.map(bytesToBigint).join()} ${data.length}`),
        onSelfDestruct: (from, to, value) => void events.push(`${bytesToHex(from)} gives ${bytesToHex(to)} ${value}`),
      }
      // LOG2 of 5 bytes; CREATE with 3 anat of init code 0x30ff (SELFDESTRUCT to itself); LOG0 that it cannot pay for.
      const code = '60085f5260076009600560' + '1ba2' + '6130ff5f526002601e6003f050' + '5f5fa0' + '630fffffff5fa0'
      const created = bytesToHex(contractAddress(TARGET, 1n))
      const result = await run(freshState(`0x${code}`), { value: 3n }, options)
      expect(result.failure?.message).toBe('out of gas')
      expect(result.logs).toEqual([])
      expect(events).toEqual([
        'CALL',
        'log 9,7 5',
        'CREATE',
        `${created} gives ${created} 3`,
        'ok',
        'log  0',
        'out of gas',
      ])
    })
  })
}

import { describe, expect, it } from 'vitest'
import { MAX_UINT64 } from '../../core/amounts.ts'
import { CodedError } from '../../core/errors.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { delegationCode } from '../delegation.ts'
import { EVM_ERROR } from '../errors.ts'
import { floorDataGas, intrinsicGas } from './intrinsic-gas.ts'
import type { DynamicFeeTransaction, SetCodeTransaction } from './transaction.ts'
import { checkSenderCode, checkTransaction, checkWithState, type TransactionLimits } from './validity.ts'

const LIMITS: TransactionLimits = { chainId: 2517n, hardfork: 'osaka', blockGasLimit: 1_000_000_000n }
const ADDRESS = new Uint8Array(20).fill(0x11)
const BASE: DynamicFeeTransaction = {
  type: 2,
  chainId: 2517n,
  nonce: 0n,
  gasLimit: 21_000n,
  to: ADDRESS,
  value: 0n,
  data: new Uint8Array(0),
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  accessList: [],
  v: 0n,
  r: 1n,
  s: 1n,
}
const SET_CODE: SetCodeTransaction = { ...BASE, type: 4, gasLimit: 100_000n, authorizationList: [] }

const refusal = (check: () => void): { code: number; message: string } | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'evm') return { code: error.code, message: error.message }
    throw error
  }
}

describe('checks without state', () => {
  it('let a plain transfer pass', () => {
    expect(refusal(() => checkTransaction(BASE, LIMITS))).toBeUndefined()
  })

  it.each([
    [
      { ...BASE, to: undefined, data: new Uint8Array(49_153) },
      EVM_ERROR.initCodeTooLarge,
      'max initcode size exceeded: code size 49153, limit 49152',
    ],
    [
      { ...BASE, gasLimit: 16_777_217n },
      EVM_ERROR.gasLimitTooHigh,
      'transaction gas limit too high (cap: 16777216, tx: 16777217)',
    ],
    [
      { ...BASE, maxPriorityFeePerGas: 3n },
      EVM_ERROR.tipAboveFeeCap,
      'max priority fee per gas higher than max fee per gas',
    ],
    [{ ...BASE, maxFeePerGas: 1n << 256n }, EVM_ERROR.feeCapVeryHigh, 'max fee per gas higher than 2^256-1'],
    [
      { ...BASE, chainId: 1n },
      EVM_ERROR.invalidChainId,
      'invalid sender: invalid chain id for signer: have 1 want 2517',
    ],
    [{ ...BASE, nonce: MAX_UINT64 }, EVM_ERROR.nonceMax, 'nonce has max value'],
    [
      { ...BASE, gasLimit: 20_999n },
      EVM_ERROR.intrinsicGasTooLow,
      'intrinsic gas too low: gas 20999, minimum needed 21000',
    ],
    [
      { ...BASE, gasLimit: 22_000n, data: new Uint8Array(32).fill(1) },
      EVM_ERROR.floorDataGasTooLow,
      'insufficient gas for floor data gas cost: gas 22000, minimum needed 22280',
    ],
    [SET_CODE, EVM_ERROR.emptyAuthorizationList, 'set code tx must have at least one authorization tuple'],
  ])('refuse with geth’s words (%#)', (transaction, code, message) => {
    expect(refusal(() => checkTransaction(transaction, LIMITS))).toEqual({ code, message })
  })

  it('name the cap of a transaction before the limit of the block', () => {
    const limits = { ...LIMITS, blockGasLimit: 30_000n }
    expect(refusal(() => checkTransaction({ ...BASE, gasLimit: 16_777_217n }, limits))?.code).toBe(
      EVM_ERROR.gasLimitTooHigh,
    )
    expect(refusal(() => checkTransaction({ ...BASE, gasLimit: 30_001n }, limits))?.message).toBe(
      'exceeds block gas limit',
    )
  })

  it('follow the fork', () => {
    const cancun = { ...LIMITS, hardfork: 'cancun' } as const
    const data = { ...BASE, gasLimit: 22_000n, data: new Uint8Array(32).fill(1) }
    expect(refusal(() => checkTransaction(data, cancun))).toBeUndefined()
    expect(refusal(() => checkTransaction(SET_CODE, cancun))?.code).toBe(EVM_ERROR.typeNotSupported)
    expect(refusal(() => checkTransaction({ ...BASE, gasLimit: 20_000_000n }, cancun))).toBeUndefined()
  })
})

describe('gas before the first instruction', () => {
  it('is that of the Yellow Paper and EIP-2028, 2930, 3860, 7702 and 7623', () => {
    const data = Uint8Array.of(0, 1, 0, 2)
    expect(intrinsicGas({ to: ADDRESS, data })).toBe(21_000n + 2n * 4n + 2n * 16n)
    expect(intrinsicGas({ to: undefined, data })).toBe(21_000n + 40n + 32_000n + 2n)
    const accessList = [{ address: ADDRESS, storageKeys: [new Uint8Array(32), new Uint8Array(32)] }]
    expect(intrinsicGas({ to: ADDRESS, data: new Uint8Array(0), accessList })).toBe(21_000n + 2_400n + 3_800n)
    expect(intrinsicGas({ to: ADDRESS, data: new Uint8Array(0), authorizationList: [{}] })).toBe(46_000n)
    expect(floorDataGas(data)).toBe(21_000n + 10n * (2n + 8n))
  })
})

describe('checks with state', () => {
  const state = new Overlay(new LatestState(openMemoryStore(), 10))
  state.setAccount(ADDRESS, { ...EMPTY_ACCOUNT, nonce: 5n, balance: 100n })

  it('compare nonce and funds', () => {
    expect(refusal(() => checkWithState(state, ADDRESS, { ...BASE, nonce: 4n }))?.message).toBe(
      'nonce too low: next nonce 5, tx nonce 4',
    )
    expect(refusal(() => checkWithState(state, ADDRESS, { ...BASE, nonce: 9n, value: 1n }))?.message).toBe(
      'insufficient funds for gas * price + value: balance 100, tx cost 42001, overshot 41901',
    )
    expect(refusal(() => checkWithState(state, ADDRESS, { ...BASE, nonce: 9n, maxFeePerGas: 0n }))).toBeUndefined()
  })

  it('let delegated accounts send, and no contract', () => {
    const codeHash = state.setCode(Uint8Array.of(0x60, 0x00))
    state.setAccount(ADDRESS, { ...EMPTY_ACCOUNT, codeHash })
    expect(refusal(() => checkSenderCode(state, ADDRESS))?.message).toBe(
      'sender not an eoa: address 0x1111111111111111111111111111111111111111, len(code): 2',
    )
    state.setAccount(ADDRESS, { ...EMPTY_ACCOUNT, codeHash: state.setCode(delegationCode(ADDRESS)) })
    expect(refusal(() => checkSenderCode(state, ADDRESS))).toBeUndefined()
    state.setAccount(ADDRESS, { ...EMPTY_ACCOUNT, codeHash: EMPTY_CODE_HASH })
    expect(refusal(() => checkSenderCode(state, ADDRESS))).toBeUndefined()
  })
})

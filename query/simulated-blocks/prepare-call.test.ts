import { expect, test } from 'vitest'
import type { BlockEnvironment } from '../../evm/engine.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { prepareCall, requirePoolGas } from './prepare-call.ts'

const ENVIRONMENT: BlockEnvironment = {
  number: 10,
  timestamp: 1_700_000_000,
  coinbase: new Uint8Array(20),
  gasLimit: 48_000_000n,
  baseFeePerGas: 0n,
  blobBaseFee: 1n,
  prevRandao: new Uint8Array(32),
  chainId: 1337n,
  hardfork: 'osaka',
  blockHash: () => undefined,
}

test('behind a call that used more than its block had, the next one is refused with what geth 1.16.8 answers', () => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  const pool = { gas: 50_000_000n }
  const first = prepareCall({ gas: '0xffffffffffffffff' }, state, ENVIRONMENT, 21_000n, pool)
  expect(first.message.gasLimit).toBe(50_000_000n)
  pool.gas = 0n
  const { message } = prepareCall({}, state, ENVIRONMENT, 50_000_000n, pool)
  const options = { fees: 'none', checks: 'call' } as const
  expect(() => requirePoolGas(message, state, ENVIRONMENT, options, pool)).toThrow(
    'err: gas limit reached (supplied gas 18446744073707551616)',
  )
})

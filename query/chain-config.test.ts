/** Forks that passed, hold and are planned; that the names of precompiles are geth's is proved in test/e2e/geth-parity. */
import { expect, test } from 'vitest'
import { keccak256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { NATIVE_PRECOMPILE_ADDRESSES } from '../app/precompiles/index.ts'
import { config } from './chain-config.ts'
import { forkId } from './fork-id.ts'
import type { ChainView } from './chain-view.ts'

const GENESIS = keccak256(Uint8Array.of(1))
const GENESIS_TIME = 50

/** A chain whose head has this time. */
const configAt = (timestamp: number, first = 0): unknown => {
  const hardforks = [
    { hardfork: 'cancun', timestamp: first },
    { hardfork: 'prague', timestamp: 100 },
    { hardfork: 'osaka', timestamp: 200 },
  ]
  const header = (height: number): unknown =>
    height === 4 ? { hash: GENESIS, header: { timestamp: GENESIS_TIME } } : { hash: keccak256(), header: { timestamp } }
  const parameters = { evmChainId: 2517n, initialHeight: 5, hardforks }
  return config({ parameters, head: 9, reader: { header } } as unknown as ChainView)
}

test('the current fork, the next and the last are told, with what a fork id counts', () => {
  const cancun = { activationTime: 0, chainId: '0x9d5', forkId: forkId(GENESIS, []) }
  const prague = { activationTime: 100, forkId: forkId(GENESIS, [100]) }
  const osaka = { activationTime: 200, forkId: forkId(GENESIS, [100, 200]) }
  expect(configAt(99)).toMatchObject({ current: cancun, next: prague, last: osaka })
  // Before the genesis or at its time no fork is counted.
  expect(configAt(99, GENESIS_TIME)).toMatchObject({ current: cancun, next: prague, last: osaka })
  expect(configAt(100)).toMatchObject({ current: prague, next: osaka, last: osaka })
  expect(configAt(200)).toMatchObject({ current: osaka, next: null, last: null })
})

test('every precompile has a name, those of a fork that is to come with it', () => {
  const { current, last } = configAt(99) as Record<'current' | 'last', { precompiles: Record<string, string> }>
  expect(Object.keys(current.precompiles)).toHaveLength(10 + NATIVE_PRECOMPILE_ADDRESSES.length)
  expect(Object.keys(last.precompiles)).toHaveLength(18 + NATIVE_PRECOMPILE_ADDRESSES.length)
  expect(Object.keys(last.precompiles)).not.toContain('')
  expect(Object.values(last.precompiles)).toEqual(expect.arrayContaining(NATIVE_PRECOMPILE_ADDRESSES.map(bytesToHex)))
  expect(last.precompiles).toMatchObject({
    STAKING: `0x${'800'.padStart(40, '0')}`,
    MODEXP: `0x${'5'.padStart(40, '0')}`,
  })
})

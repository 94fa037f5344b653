import { expect, it } from 'vitest'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { LatestState } from '../../store/latest.ts'
import { Overlay } from '../../store/overlay.ts'
import { FEE_MARKET_ADDRESS, readFeeMarket, writeBaseFee } from './keeper.ts'
import { feeMarketModule } from './module.ts'

const module = feeMarketModule.create({})

const started = (genesis: unknown): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  module.initGenesis({ state, height: 0, timeNs: 0n, chainId: 'x', emit: () => undefined }, genesis)
  return state
}

it.each([
  [{ min_base_fee: '1000000000000001', base_fee: '1000000000000001' }, '1000000000000000'],
  [{ base_fee: '18446744073709551615' }, '1000000000000000000'],
])('a price that nobody could pay is refused: %j', (genesis, most) => {
  expect(() => started(genesis)).toThrow(new RegExp(`base_fee: must not be above ${most}$`))
})

it('an export of a market whose base fee has moved begins one with equal state', () => {
  const state = started({ base_fee: '5000000000', elasticity_multiplier: 4 })
  writeBaseFee(state, 7_777_777_777n)
  const exported = JSON.parse(JSON.stringify(module.exportGenesis({ state, height: 9, chainId: 'x' }))) as unknown
  const again = started(exported)
  expect(readFeeMarket(again)).toEqual({ ...readFeeMarket(state), baseFeeAnat: 7_777_777_777n })
  const all = (of: Overlay) => of.values(FEE_MARKET_ADDRESS, new Uint8Array(0), 10)
  expect(all(again)).toEqual(all(state))
  expect(all(state).length).toBe(2)
})

import { create, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { weightTx } from '../../proto/index.ts'
import { MAX_TRANSACTION_WEIGHT } from '../../core/limits.ts'
import { Overlay } from '../../store/overlay.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { LatestState } from '../../store/latest.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import type { MessageHandler } from '../module.ts'
import { parseWeightGenesis } from './genesis.ts'
import { weightModule } from './module.ts'
import { DEFAULT_MAX_BLOCK_WEIGHT } from './params.ts'
import { readMaxBlockWeight } from './keeper.ts'

const freshState = (): Overlay => new Overlay(new LatestState(openMemoryStore(), 100))
const contextOf = (state: Overlay) => ({ state, height: 1, timeNs: 0n, chainId: 'x', emit: () => undefined })

it('has its default where the genesis says nothing, and exports what it has', () => {
  const module = weightModule.create({})
  const state = freshState()
  module.initGenesis(contextOf(state), undefined)
  expect(readMaxBlockWeight(state)).toBe(DEFAULT_MAX_BLOCK_WEIGHT)
  const exported = module.exportGenesis(contextOf(state))
  expect(parseWeightGenesis(exported)).toEqual({ maxBlockWeight: DEFAULT_MAX_BLOCK_WEIGHT })
})

it.each([
  ['less than a transaction may weigh', String(MAX_TRANSACTION_WEIGHT - 1), 'must be between'],
  ['more than ten seconds', '10000000001', 'must be between'],
  ['no integer', '1.5', 'non-negative integer'],
  ['2^64 - 1', '18446744073709551615', 'non-negative integer'],
])('refuses a genesis with %s', (_, weight, reason) => {
  expect(() => parseWeightGenesis({ params: { max_block_weight: weight } })).toThrow(reason)
})

it('is changed by governance alone, within its bounds', () => {
  const [handler] = weightModule.create({}).messages as readonly [MessageHandler]
  const prepare = (maxBlockWeight: bigint, authority: Uint8Array): unknown => {
    const message = create(weightTx.MsgUpdateParamsSchema, {
      authority: encodeBech32(authority),
      params: { maxBlockWeight },
    })
    return handler.prepare(handler.decode(toBinary(weightTx.MsgUpdateParamsSchema, message)))
  }
  const state = freshState()
  expect(() => prepare(2n ** 64n - 1n, GOVERNANCE_ADDRESS)).toThrow('must be between')
  expect(() => prepare(2_000_000_000n, new Uint8Array(20))).toThrow('invalid authority')
  const context = { ...contextOf(state), consumeGas: () => undefined }
  handler.execute(context, prepare(2_000_000_000n, GOVERNANCE_ADDRESS))
  expect(readMaxBlockWeight(state)).toBe(2_000_000_000)
})

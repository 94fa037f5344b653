/** A native transaction of many messages gives way between them, and comes to the same. */
import { expect, it } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { hexToBytes } from '../../../core/hex.ts'
import { bankModule } from '../../../modules/bank/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../../store/state.ts'
import { sendMessage, signNative } from '../../../test/sim/native-transactions.ts'
import { executeNative, executeNativeAt } from './execute.ts'
import { GasMeter } from './gas-meter.ts'
import { createPrepare } from './prepare.ts'

const CHAIN_ID = 'nat-test-1'
const ALICE = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const prepare = createPrepare([bankModule.create({ accounts: () => [], isBlockedReceiver: () => false })])

const signed = (amounts: readonly string[]): Promise<Uint8Array> =>
  signNative({
    chainId: CHAIN_ID,
    messages: amounts.map((amount) => sendMessage(ALICE, new Uint8Array(20).fill(7), [{ denom: 'anat', amount }])),
    signers: [{ account: ALICE, sequence: 0 }],
    gas: 4_000_000n,
  })

const open = () => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  state.setAccount(hexToBytes(ALICE.address), { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  const block = { height: 1, timeNs: 0n, chainId: CHAIN_ID, evmChainId: 1n, baseFeePerGas: 1n, gasLeft: 10n ** 9n }
  return { ...block, state }
}

const always = () => {
  const pace = {
    isYieldDue: true,
    count: 0,
    async yield() {
      pace.count++
    },
  }
  return pace
}

it.each([
  ['that all succeed', ['1', '2', '3', '4', '5'], 0, 4],
  ['the last but one of which fails', ['1', '2', '3', '0', '5'], 10, 3],
])('messages %s', async (_, amounts, code, pauses) => {
  const raw = await signed(amounts)
  const [plain, paced] = [open(), open()]
  const expected = executeNative(prepare(raw), plain)
  const pace = always()
  const executed = executeNativeAt(pace, prepare(raw), paced)
  expect(executed).toBeInstanceOf(Promise)
  expect(await executed).toEqual(expected)
  expect(expected.result.code).toBe(code)
  expect(pace.count).toBe(pauses)
  expect(paced.state.changes()).toEqual(plain.state.changes())
})

it('the gas that a call of a contract stands for is not the gas that its weight is compared with', () => {
  const meter = new GasMeter(10_000n)
  meter.consume(1_000n, 'a message')
  meter.noteContract(100n, 5_000n)
  meter.consume(5_000n, 'a call')
  expect([meter.used, meter.workGas]).toEqual([6_000n, 1_100n])
})

it('what its pace throws ends it, and only the ante is left', async () => {
  const raw = await signed(['1', '2'])
  const world = open()
  const pace = { isYieldDue: true, yield: () => Promise.reject(new Error('the node stops')) }
  await expect(executeNativeAt(pace, prepare(raw), world)).rejects.toThrow('the node stops')
  expect(world.state.account(new Uint8Array(20).fill(7))).toBeUndefined()
})

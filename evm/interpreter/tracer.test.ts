/** What tracers are told of instructions that fail, as geth 1.16.8 tells it (`evm statetest --trace`). */
import { expect, it } from 'vitest'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT, type StateReader } from '../../store/state.ts'
import type { Step } from '../engine.ts'
import { code, op } from '../testing/assembler.ts'
import { ENGINE_BLOCK, ENGINE_MESSAGE } from '../testing/describe-engine.ts'
import { createInterpreterEngine } from './create-engine.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'

const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => EMPTY_BYTES,
  code: () => EMPTY_BYTES,
  value: () => undefined,
  values: () => [],
}
const NOBODY = new Uint8Array(20).fill(0x77)
const engine = await createInterpreterEngine()

/** The last step of a call of a contract, with 9,000 gas in the frame. */
const lastStep = (program: Uint8Array): Step | undefined => {
  const state = new Overlay(NOTHING)
  state.setAccount(ENGINE_MESSAGE.sender, { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  const to = ENGINE_MESSAGE.to ?? NOBODY
  state.setAccount(to, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 16n, codeHash: state.setCode(program) })
  state.beginTransaction()
  let last: Step | undefined
  const outcome = engine.execute(
    state,
    ENGINE_BLOCK,
    { ...ENGINE_MESSAGE, data: EMPTY_BYTES, value: 0n, gasLimit: 30_000n },
    { fees: 'collect', checks: 'transaction', onStep: (step) => (last = step) },
  )
  expect(outcome).toMatchObject({ valid: true, result: { gasUsed: 30_000n, failure: { message: 'out of gas' } } })
  return last
}

it.each([
  ['2^256 - 1', 2n ** 256n - 1n, 0xfc000000000024c7n],
  ['2^64 - 1', 2n ** 64n - 1n, 0xfc000000000024c7n],
  ['2^53 + 1', 2n ** 53n + 1n, 0x20000000008ef9n],
])('a call that cannot pay and asks for %s gas costs what geth says, in 64 bits', (_, asked, cost) => {
  expect(lastStep(code(...op('CALL', asked, NOBODY, 1n, 0n, 0n, 0n, 0n)))).toMatchObject({
    opcodeName: 'CALL',
    gasCost: cost,
  })
})

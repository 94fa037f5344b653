import { expect, it } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { GAS_PER_MESSAGE } from '../../native/gas.ts'
import { GasMeter } from './gas-meter.ts'
import { MessageRun } from './messages.ts'

/** CometBFT takes so many bytes of the results of a block over gRPC, with some room (abci/reply-limits.ts). */
const MOST_BYTES = 3.5 * 1024 * 1024
const BLOCK_GAS = 1_000_000_000n

/** A message with a response of so many bytes. */
const run = (bytes: number, meter: GasMeter) => {
  const handler = {
    typeUrl: '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission',
    execute: () => new Uint8Array(bytes),
  }
  const message = { handler, prepared: {}, sender: new Uint8Array(20), refusal: undefined }
  const each = new MessageRun({ messages: [message] } as never, {} as never, meter)
  each.step()
  return each.finish()
}

it.each([0, 64, 65, 200, 1_721, 10_000, 60_000])('a response of %i bytes pays for its place in a block', (bytes) => {
  const meter = new GasMeter(BLOCK_GAS)
  const { data } = run(bytes, meter)
  expect(meter.used).toBeGreaterThanOrEqual(GAS_PER_MESSAGE)
  if (bytes <= 64) expect(meter.used).toBe(GAS_PER_MESSAGE)
  expect((Number(BLOCK_GAS) / Number(meter.used)) * data.length).toBeLessThan(MOST_BYTES)
})

it('a response that the gas does not cover ends the transaction, as other work does', () => {
  const meter = new GasMeter(GAS_PER_MESSAGE + 1_000n)
  expect(() => run(1_000, meter)).toThrowError(CodedError)
  expect(() => run(60, new GasMeter(GAS_PER_MESSAGE))).not.toThrow()
})

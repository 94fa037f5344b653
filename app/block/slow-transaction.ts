/**
 * Keeps a proposer from transactions that take seconds: the precompiles of BLS12-381 and the point evaluation run at
 * 0.5 to 2 million gas a second in this engine. A proposer's choice, never a rule of validity.
 */
import { bytesToBigint } from '../../core/bytes.ts'
import type { FrameEntry } from '../../evm/engine.ts'
import type { Clock } from '../environment.ts'

/** Most of all that fits into the gas of one transaction takes less than a second; CometBFT waits three for a proposal. */
const MAX_TRANSACTION_MS = 2_000

/** Milliseconds of one item, measured, and the bytes of an item; a call without a list is one item. */
const SLOW_PRECOMPILES: ReadonlyMap<bigint, { readonly itemBytes: number; readonly itemMs: number }> = new Map([
  [0x0an, { itemBytes: 192, itemMs: 50 }],
  [0x0bn, { itemBytes: 256, itemMs: 3 }],
  [0x0cn, { itemBytes: 160, itemMs: 13 }],
  [0x0dn, { itemBytes: 512, itemMs: 5 }],
  [0x0en, { itemBytes: 288, itemMs: 31 }],
  [0x0fn, { itemBytes: 384, itemMs: 27 }],
  [0x10n, { itemBytes: 64, itemMs: 6 }],
  [0x11n, { itemBytes: 128, itemMs: 10 }],
])

/** The transaction was stopped: the state is as before it. */
export class SlowTransaction extends Error {
  override readonly name = 'SlowTransaction'
}

/** Watches the frames of one transaction. Throws {@link SlowTransaction} before a frame that would take too long. */
export const watchFrames = (clock: Clock): ((entry: Pick<FrameEntry, 'to' | 'input'>) => void) => {
  const startedMs = clock.nowMs()
  return ({ to, input }) => {
    const slow = SLOW_PRECOMPILES.get(bytesToBigint(to))
    const expectedMs = slow === undefined ? 0 : slow.itemMs * Math.ceil(input.length / slow.itemBytes)
    if (clock.nowMs() - startedMs + expectedMs > MAX_TRANSACTION_MS) {
      throw new SlowTransaction(`the transaction takes more than ${MAX_TRANSACTION_MS} ms`)
    }
  }
}

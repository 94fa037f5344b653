/**
 * Keeps a proposer from transactions that take seconds: some precompiles run at 2 to 10 million gas a second in this
 * engine. A proposer's choice, never a rule of validity.
 */
import { readUint32 } from '../../core/bytes.ts'
import type { Clock } from '../environment.ts'

/** Most of all that fits into the gas of one transaction takes less than a second; CometBFT waits three for a proposal. */
const MAX_TRANSACTION_MS = 2_000

const perItem =
  (itemBytes: number, itemMs: number) =>
  (input: Uint8Array): number =>
    itemMs * Math.ceil(input.length / itemBytes)

/** One millisecond computes this many rounds of BLAKE2; the input begins with their number (EIP-152). */
const BLAKE2_ROUNDS_A_MS = 2_400

/** Milliseconds that a call will take, from measurements (two cores of an EPYC); a call without a list is one item. */
const SLOW_PRECOMPILES: ReadonlyMap<bigint, (input: Uint8Array) => number> = new Map([
  [0x09n, (input: Uint8Array) => (input.length < 4 ? 0 : readUint32(input) / BLAKE2_ROUNDS_A_MS)],
  [0x0an, perItem(192, 50)],
  [0x0bn, perItem(256, 0.05)],
  [0x0cn, perItem(160, 0.8)],
  [0x0dn, perItem(512, 0.09)],
  [0x0en, perItem(288, 1.2)],
  [0x0fn, perItem(384, 3.2)],
  [0x10n, perItem(64, 0.5)],
  [0x11n, perItem(128, 1.1)],
  [0x100n, perItem(160, 3.1)],
])

/** The transaction was stopped: the state is as before it. */
export class SlowTransaction extends Error {
  override readonly name = 'SlowTransaction'
}

/** Watches the precompiles of one transaction. Throws {@link SlowTransaction} before one that would take too long. */
export const watchPrecompiles = (clock: Clock): ((address: bigint, input: Uint8Array) => void) => {
  const startedMs = clock.nowMs()
  return (address, input) => {
    const expectedMs = SLOW_PRECOMPILES.get(address)?.(input) ?? 0
    if (clock.nowMs() - startedMs + expectedMs > MAX_TRANSACTION_MS) {
      throw new SlowTransaction(`the transaction takes more than ${MAX_TRANSACTION_MS} ms`)
    }
  }
}

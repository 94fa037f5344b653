/** Everything that happened to orders in a block, in its order. */
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { CLOB_ERRORS, CLOB_TX_BYTE, type ClobTx, codeOf, decodeClobBody, UNSIGNED } from '../../modules/clob/index.ts'
import { decodeOrNothing } from '../orders/decode-or-nothing.ts'
import type { ShownResult } from '../ports.ts'
import type { CommittedBlock } from '../feed/committed-block.ts'
import { type Happening, readHappening, readRejected, type Rejected, rejectedPlace } from './happenings.ts'

/** Codes of transactions of which nobody knows whether their owner has signed them. */
const UNVERIFIED: ReadonlySet<number> = new Set([...[...UNSIGNED].map(codeOf), CLOB_ERRORS.codes.notPlanned])

/**
 * Tells what happened, with the transaction's hash, which is empty where there was none. The events of the batch come
 * first: those of its transactions, then those of the beginning and the end of the block, among which are those of
 * contracts' orders, triggers and removals.
 */
export function* happeningsOf(block: CommittedBlock): Generator<readonly [Happening, Hash | Uint8Array]> {
  for (const { hash, raw, result } of block.transactions(0)) {
    if (raw[0] !== CLOB_TX_BYTE) continue
    if (result.code !== 0) {
      for (const rejected of rejectedWhole(raw, result)) yield [rejected, hash]
      continue
    }
    let tx: ClobTx | undefined
    for (const event of result.events) {
      const happening = readHappening(event)
      if (happening !== undefined) yield [happening, hash]
      if (event.type !== 'order_rejected') continue
      // A transaction with such an event was decoded by the block, too.
      tx ??= decodeClobBody(raw).tx
      const rejected = readRejected(event, tx)
      if (rejected !== undefined) yield [rejected, hash]
    }
  }
  for (const event of block.events) {
    const happening = readHappening(event)
    if (happening !== undefined) yield [happening, EMPTY_BYTES]
  }
}

/** All placements with an id of a transaction that failed as a whole. */
const rejectedWhole = (raw: Uint8Array, { code }: ShownResult): readonly Rejected[] => {
  const tx = UNVERIFIED.has(code) ? undefined : decodeOrNothing(raw)?.tx
  return tx === undefined ? [] : tx.actions.flatMap((_, at) => rejectedPlace(tx, at, code) ?? [])
}

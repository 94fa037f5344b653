/**
 * What came of a block beside its receipts and native results, as one value: the events of its beginning and its end, the
 * updates of validators, the results that neither a receipt nor a native result tells, and what the batch wrote.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { bigintToBytes, bytesToBigint, readUint32 } from '../../core/bytes.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import type { Event, ValidatorUpdate } from '../../modules/module.ts'
import { encodeEvents } from '../../proto/encode-exec-tx-result.ts'
import { abci } from '../../proto/index.ts'
import { compress, decompress } from '../../store/compression.ts'
import { blockOutcomeKey } from '../../store/keys.ts'
import { NO_CHANGES, type StateChanges } from '../../store/overlay.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import type { Candidate } from '../block/candidate.ts'
import { NO_RESULT, type TransactionOutcome } from '../block/transaction.ts'
import type { ShownResult, TransactionResult } from '../ports.ts'
import { decodeBatchChanges, encodeBatchChanges } from '../records/batch-changes.ts'
import { encodeItems, itemAt, itemCount } from '../records/records.ts'
import type { UnwrittenResult } from './native-results.ts'
import { encodeResultItems, type PlacedResult } from './result-items.ts'

export interface LeftResult {
  /** Place among all transactions of the block. */
  readonly index: number
  /**
   * The result. For a transaction in the Ethereum block only `log` is told: why it failed. For any other one it is
   * whole.
   */
  readonly result: ShownResult
}

export interface BlockOutcome {
  /** Those of BeginBlock and EndBlock hooks, in their order. */
  readonly events: readonly Event[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  /** The results by rising index. */
  readonly results: readonly LeftResult[]
}

/** What the parts of the record are, in their order, in words. */
export const OUTCOME_PARTS = [
  'events of the block',
  'validator updates',
  'results that no receipt tells',
  'writes of the batch',
] as const

/** The parts of the record, in this order. */
const PART = { events: 0, validatorUpdates: 1, results: 2, batch: 3 } as const
const INDEX_BYTES = 4

const saysNothing = ({ code, codespace, log, data, gasWanted, gasUsed, events }: TransactionResult): boolean =>
  code === 0 && codespace + log === '' && gasWanted + gasUsed === 0n && data.length + events.length === 0

/** What a receipt leaves out; undefined for most: a receipt says all. */
const leftOf = (outcome: TransactionOutcome, result: TransactionResult): TransactionResult | undefined => {
  const isInEthereumBlock = outcome.kind === 'applied' && outcome.ethereum !== undefined
  if (isInEthereumBlock) return result.log === '' ? undefined : { ...NO_RESULT, log: result.log }
  return saysNothing(result) ? undefined : result
}

/** Every transaction without a native result is looked at: whatever a new family has to tell is kept. */
const leftResults = (
  { outcomes, response }: Candidate,
  native: readonly UnwrittenResult[],
): readonly PlacedResult[] => {
  const told = new Set(native.map(({ index }) => index))
  const results: PlacedResult[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const given = response.transactionResults[index]
    const result = given === undefined || told.has(index) ? undefined : leftOf(outcome, given)
    if (result !== undefined) results.push({ index, result })
  }
  return results
}

const encodeUpdates = (updates: readonly ValidatorUpdate[]): Uint8Array =>
  encodeRlp(updates.map(({ publicKey, power }) => [publicKey, bigintToBytes(power)]))

/** Not compressed: what a block executed once more is compared by. `native` are the results that are stored already. */
export const blockOutcomeOf = (candidate: Candidate, native: readonly UnwrittenResult[]): Uint8Array =>
  encodeItems([
    encodeEvents(candidate.response.events),
    encodeUpdates(candidate.response.validatorUpdates),
    encodeResultItems(leftResults(candidate, native)),
    encodeBatchChanges(candidate.batch?.changes ?? NO_CHANGES),
  ])

const decodeLeft = (item: Uint8Array): LeftResult => {
  const result = fromBinary(abci.ExecTxResultSchema, item.subarray(INDEX_BYTES))
  const { code, codespace, log, data, gasWanted, gasUsed, events } = result
  return { index: readUint32(item), result: { code, codespace, log, data, gasWanted, gasUsed, events } }
}

export const decodeBlockOutcome = (bytes: Uint8Array): BlockOutcome => {
  const updates = decodeRlp(itemAt(bytes, PART.validatorUpdates)) as [Uint8Array, Uint8Array][]
  const results = itemAt(bytes, PART.results)
  return {
    // They are the field of an ExecTxResult, as every transaction's.
    events: fromBinary(abci.ExecTxResultSchema, itemAt(bytes, PART.events)).events,
    validatorUpdates: updates.map(([publicKey, power]) => ({
      publicKey: publicKey.slice(),
      power: bytesToBigint(power),
    })),
    results: Array.from({ length: itemCount(results) }, (_, at) => decodeLeft(itemAt(results, at))),
  }
}

/** What the batch of a stored block wrote, before the transactions behind it were executed. */
export const readBatchChanges = (store: Pick<KeyValueStore, 'get'>, height: number): StateChanges => {
  const stored = store.get('blocks', blockOutcomeKey(height))
  return stored === undefined ? NO_CHANGES : decodeBatchChanges(itemAt(expandBlockOutcome(stored), PART.batch))
}

export const writeBlockOutcome = (batch: Batch, height: number, outcome: Uint8Array): void =>
  batch.put('blocks', blockOutcomeKey(height), compress(outcome))

/** Expands what {@link blockOutcomeOf} made. Throws for what {@link writeBlockOutcome} did not write. */
export const expandBlockOutcome = (stored: Uint8Array): Uint8Array => decompress(stored)

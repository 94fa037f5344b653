/** A committed block as the feed has it: all that came of it, read from what its one atomic write has stored. */
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { type Hash, keccak256 } from '../../core/hash.ts'
import type { Address } from '../../core/address.ts'
import { decodeTransaction } from '../../evm/transaction/decode-transaction.ts'
import type { Event, ValidatorUpdate } from '../../modules/module.ts'
import { readBaseHeight } from '../../store/base-height.ts'
import { blockOutcomeKey, headerKey, nativeResultsKey } from '../../store/keys.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { NO_RESULT } from '../block/transaction.ts'
import { ethereumResult } from '../families/ethereum/result.ts'
import { familyOf } from '../families/index.ts'
import type { BlockOutcome } from '../index/block-outcome.ts'
import type { ChainReader } from '../index/chain-reader.ts'
import { readStoredContent, type StoredTransaction } from '../index/finalize-request.ts'
import { decodeNativeResult, type NativeResult, nativeResultsFrom } from '../index/native-results.ts'
import type { ShownResult } from '../ports.ts'
import type { Header } from '../records/header.ts'
import type { Receipt } from '../records/receipt.ts'

/** The part of a transaction that stands in the Ethereum block. */
export interface CommittedReceipt {
  /** Place in the Ethereum block. */
  readonly index: number
  readonly sender: Address
  readonly receipt: Receipt
}

export interface CommittedTransaction {
  /** Place among all transactions of the block. */
  readonly index: number
  readonly family: string
  /** The hash by which the transaction is known: keccak256 of an Ethereum one, SHA-256 of any other. */
  readonly hash: Hash
  readonly raw: Uint8Array
  /** The result as FinalizeBlock answered it. */
  readonly result: ShownResult
  /** The receipt; undefined for a transaction that is not in the Ethereum block. */
  readonly ethereum: CommittedReceipt | undefined
}

export interface CommittedBlock {
  readonly height: number
  /** Also the app hash. */
  readonly hash: Hash
  /** Nanoseconds since 1970. */
  readonly timeNs: bigint
  readonly header: Header
  readonly proposerAddress: Uint8Array
  /** Those of the beginning and the end of the block, in their order. */
  readonly events: readonly Event[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  readonly transactionCount: number
  /**
   * The transactions in their order from an index on, each decoded when it is asked for: a block may be larger than any
   * answer.
   */
  transactions(from: number): Generator<CommittedTransaction>
}

/**
 * The lowest height that the feed has, or will have: the first block that this node executed and still keeps. That of the
 * genesis was not executed, and that of a snapshot came without its events.
 */
export const oldestHeight = (store: KeyValueStore, initialHeight: number): number => {
  const lowest = Math.max(initialHeight, readBaseHeight(store))
  const isHere = store.get('blocks', headerKey(lowest)) !== undefined
  const isFromSnapshot = isHere && store.get('blocks', blockOutcomeKey(lowest)) === undefined
  return isFromSnapshot ? lowest + 1 : lowest
}

const resultOf = (
  { raw, ethereum }: StoredTransaction,
  receipt: Receipt | undefined,
  told: ShownResult | undefined,
): ShownResult => {
  if (ethereum === undefined || receipt === undefined) return told ?? { ...NO_RESULT, events: [] }
  const { index, sender } = ethereum
  const signed = { transaction: decodeTransaction(raw), raw, hash: keccak256(raw), sender }
  return ethereumResult({ signed, receipt, failure: receipt.succeeded ? undefined : (told?.log ?? '') }, index)
}

function* readTransactions(
  reader: ChainReader,
  height: number,
  stored: readonly StoredTransaction[],
  { results }: BlockOutcome,
  from: number,
): Generator<CommittedTransaction> {
  const told = new Map(results.map(({ index, result }) => [index, result]))
  const natives = nativeResultsFrom(reader.store.get('blocks', nativeResultsKey(height)) ?? EMPTY_BYTES, from)
  const nextNative = (): NativeResult | undefined => natives.next().value as NativeResult | undefined
  let native = nextNative()
  for (let index = from; index < stored.length; index++) {
    const transaction = stored[index]
    invariant(transaction !== undefined, 'a block has its transactions')
    const { raw, ethereum } = transaction
    const receipt = ethereum === undefined ? undefined : reader.receipt(height, ethereum.index)
    invariant(ethereum === undefined || receipt !== undefined, 'a transaction of the Ethereum block has its receipt')
    const own = native?.index === index ? native : undefined
    if (own !== undefined) native = nextNative()
    const result = own === undefined ? resultOf(transaction, receipt, told.get(index)) : decodeNativeResult(own)
    const family = familyOf(raw)
    const placed = ethereum === undefined || receipt === undefined ? undefined : { ...ethereum, receipt }
    yield { index, family: family.name, hash: family.hash(raw), raw, result, ethereum: placed }
  }
}

/** Reads a block; undefined for a height that the feed has not, or not any more. */
export const readCommittedBlock = (reader: ChainReader, height: number): CommittedBlock | undefined => {
  const { store } = reader
  const record = reader.header(height)
  const outcome = reader.blockOutcome(height)
  const content = readStoredContent(store, height)
  if (record === undefined || outcome === undefined || content === undefined) return undefined
  const { header, hash, timeNs } = record
  return {
    height,
    hash,
    timeNs,
    header,
    proposerAddress: content.proposerAddress,
    events: outcome.events,
    validatorUpdates: outcome.validatorUpdates,
    transactionCount: content.transactions.length,
    transactions: (from) => readTransactions(reader, height, content.transactions, outcome, from),
  }
}

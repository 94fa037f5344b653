/**
 * The block of a snapshot. A restored node shows it whole, and everything in it is checked: the header by the app
 * hash, the time by mixHash, the headers before by their hashes, transactions and receipts by the roots. What a
 * receipt says beside that follows from its transaction.
 */
import { contractAddress } from '../core/address.ts'
import { bigintToBytes, bytesToBigint, concatBytes, EMPTY_BYTES, equalBytes, readUint32 } from '../core/bytes.ts'
import { CodedError, errorText, invariant } from '../core/errors.ts'
import { type Hash, keccak256 } from '../core/hash.ts'
import { decodeRlp, encodeRlp } from '../core/rlp.ts'
import { decodeSigned } from '../evm/transaction/recover-sender.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { effectiveGasPrice, feeCap, tipCap } from '../evm/transaction/validity.ts'
import { ancestorHeaderKey, headerKey } from '../store/keys.ts'
import { snapshotError } from '../store/snapshot/errors.ts'
import { MAX_ANCESTORS, type SnapshotMetadata } from '../store/snapshot/metadata.ts'
import type { Entry, KeyValueStore } from '../store/store.ts'
import { orderedTrieRoot } from '../store/trie/ordered-root.ts'
import { blockSizeBytes } from './records/block-size.ts'
import { decodeHeader, encodeHeader, type Header } from './records/header.ts'
import { countLogBytes, encodeReceipt, logsBloom, type Receipt } from './records/receipt.ts'
import { mixHash } from './block/run.ts'
import { ChainReader, encodeChainParameters, readChainParameters } from './index/chain-reader.ts'
import { decodeHeaderRecord, type HeaderRecord } from './records/records.ts'

/** Entries of the block section: tag, index(4). Receipts sort before transactions. */
const RECEIPT_TAG = 'r'.charCodeAt(0)
const TRANSACTION_TAG = 't'.charCodeAt(0)
const ITEM_KEY_BYTES = 5

const itemKey = (tag: number, index: number): Uint8Array =>
  Uint8Array.of(tag, index >>> 24, (index >>> 16) & 0xff, (index >>> 8) & 0xff, index & 0xff)

const untrusted = (what: string): never => {
  throw snapshotError('untrusted', `the snapshot is not of the trusted block: ${what}`)
}

// ---- making -------------------------------------------------------------------------------------------------

const encodeSnapshotReceipt = ({ succeeded, cumulativeGasUsed, logs }: Receipt): Uint8Array =>
  encodeRlp([
    succeeded ? Uint8Array.of(1) : EMPTY_BYTES,
    bigintToBytes(cumulativeGasUsed),
    logs.map(({ address, topics, data }) => [address, [...topics], data]),
  ])

const readHeaderRlp = (store: KeyValueStore, height: number): Uint8Array | undefined => {
  const record = store.get('blocks', headerKey(height))
  return record === undefined
    ? store.get('blocks', ancestorHeaderKey(height))
    : encodeHeader(decodeHeaderRecord(record).header)
}

export interface SnapshotBlock extends Omit<SnapshotMetadata, 'chunkHashes' | 'counts'> {
  readonly items: readonly Entry[]
}

/** What a snapshot of `height` holds beside the state. The block must be committed. */
export const describeBlock = (store: KeyValueStore, height: number): SnapshotBlock => {
  const reader = new ChainReader(store)
  const record = reader.header(height)
  const parameters = readChainParameters(store)
  invariant(record !== undefined && parameters !== undefined, `no block ${height} to make a snapshot of`)
  const lowest = Math.max(parameters.initialHeight - 1, height - MAX_ANCESTORS)
  const ancestors: Uint8Array[] = []
  for (let at = height - 1; at >= lowest; at--) {
    const header = readHeaderRlp(store, at)
    invariant(header !== undefined, `the header of block ${at} is not in the database`)
    ancestors.push(header)
  }
  return {
    height,
    chainId: parameters.chainId,
    chain: encodeChainParameters(parameters),
    header: encodeHeader(record.header),
    timeNs: record.timeNs,
    ancestors,
    items: [
      ...reader.receipts(height).map((receipt, i): Entry => [itemKey(RECEIPT_TAG, i), encodeSnapshotReceipt(receipt)]),
      ...reader.transactions(height).map(({ raw }, i): Entry => [itemKey(TRANSACTION_TAG, i), raw]),
    ],
  }
}

// ---- checking -----------------------------------------------------------------------------------------------

/** The header of a snapshot of this chain. Throws snapshot/7 when a part of it is not that of the app hash. */
export const checkSnapshotHeader = (metadata: SnapshotMetadata, initialHeight: number, appHash: Uint8Array): Header => {
  if (!equalBytes(keccak256(metadata.header), appHash)) untrusted('its header does not have the app hash')
  const header = decodeHeader(metadata.header)
  if (header.number !== metadata.height) untrusted(`its header is that of block ${header.number}`)
  if (!equalBytes(mixHash(header.parentHash, metadata.timeNs), header.mixHash)) untrusted('its time')
  const wanted = Math.min(MAX_ANCESTORS, metadata.height - (initialHeight - 1))
  if (metadata.ancestors.length !== wanted) untrusted(`it has ${metadata.ancestors.length} headers before its own`)
  let expected: Hash = header.parentHash
  for (const ancestor of metadata.ancestors) {
    if (!equalBytes(keccak256(ancestor), expected)) untrusted('a header before its own')
    expected = decodeHeader(ancestor).parentHash
  }
  return header
}

export interface RestoredBlock {
  readonly record: HeaderRecord
  readonly transactions: readonly SignedTransaction[]
  readonly receipts: readonly Receipt[]
}

type WireReceipt = [Uint8Array, Uint8Array, [Uint8Array, Uint8Array[], Uint8Array][]]

/** The items of one tag, which must be numbered from 0. */
const itemsOf = (items: readonly Entry[], tag: number): readonly Uint8Array[] =>
  items
    .filter(([key]) => key[0] === tag)
    .map(([key, value], index) =>
      key.length === ITEM_KEY_BYTES && readUint32(key, 1) === index ? value : untrusted('its items are not numbered'),
    )

const readLogs = (logs: WireReceipt[2]): Receipt['logs'] =>
  logs.map(([address, topics, data]) => ({
    address: address.slice(),
    topics: topics.map((topic) => topic.slice()),
    data: data.slice(),
  }))

/** The receipt as the receipts root has it. */
const consensusReceipt = ({ transaction }: SignedTransaction, wire: Uint8Array): Uint8Array => {
  const [succeeded, cumulativeGas, wireLogs] = decodeRlp(wire) as unknown as WireReceipt
  const cumulativeGasUsed = bytesToBigint(cumulativeGas)
  const logs = readLogs(wireLogs)
  const receipt = { type: transaction.type, succeeded: succeeded.length > 0, cumulativeGasUsed, logs }
  return encodeReceipt(receipt, logsBloom(logs))
}

const completeReceipts = (
  header: Header,
  transactions: readonly SignedTransaction[],
  wire: readonly Uint8Array[],
): readonly Receipt[] => {
  let cumulative = 0n
  let firstLogIndex = 0
  return transactions.map(({ transaction, sender }, index) => {
    const [succeeded, cumulativeGas, logs] = decodeRlp(wire[index] ?? EMPTY_BYTES) as unknown as WireReceipt
    const cumulativeGasUsed = bytesToBigint(cumulativeGas)
    const receipt: Receipt = {
      type: transaction.type,
      succeeded: succeeded.length > 0,
      gasUsed: cumulativeGasUsed - cumulative,
      cumulativeGasUsed,
      effectiveGasPrice: effectiveGasPrice(feeCap(transaction), tipCap(transaction), header.baseFeePerGas),
      contractAddress: transaction.to === undefined ? contractAddress(sender, transaction.nonce) : undefined,
      firstLogIndex,
      logs: readLogs(logs),
    }
    cumulative = cumulativeGasUsed
    firstLogIndex += logs.length
    return receipt
  })
}

/** Transactions and receipts under the roots of the header. Throws snapshot/7. */
const readBlock = (header: Header, metadata: SnapshotMetadata, items: readonly Entry[]): RestoredBlock => {
  const raws = itemsOf(items, TRANSACTION_TAG).map((raw) => raw.slice())
  const wire = itemsOf(items, RECEIPT_TAG)
  if (raws.length + wire.length !== items.length || raws.length !== wire.length) untrusted('its items')
  if (raws.some((raw) => raw.length === 0) || !equalBytes(orderedTrieRoot(raws), header.transactionsRoot)) {
    untrusted('its transactions')
  }
  const transactions = raws.map((raw) => decodeSigned(raw))
  // One at a time: what their logs take in memory, a peer would choose.
  const encoded = transactions.map((transaction, index) => consensusReceipt(transaction, wire[index] ?? EMPTY_BYTES))
  if (!equalBytes(orderedTrieRoot(encoded), header.receiptsRoot)) untrusted('its receipts')
  const receipts = completeReceipts(header, transactions, wire)
  return {
    transactions,
    receipts,
    record: {
      header,
      hash: keccak256(metadata.header),
      timeNs: metadata.timeNs,
      sizeBytes: blockSizeBytes(metadata.header, raws),
      transactionCount: raws.length,
      logCount: receipts.reduce((sum, { logs }) => sum + logs.length, 0),
      logBytes: countLogBytes(receipts),
    },
  }
}

/** Throws snapshot/7: whatever does not decode is no part of the block either. */
export const checkSnapshotBlock = (
  header: Header,
  metadata: SnapshotMetadata,
  items: readonly Entry[],
): RestoredBlock => {
  try {
    return readBlock(header, metadata, items)
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'snapshot') throw error
    // Receipts are untrusted RLP of unknown shape until their root was compared.
    return untrusted(errorText(error))
  }
}

export const ancestorEntries = ({ height, ancestors }: SnapshotMetadata): readonly Entry[] =>
  ancestors.map((header, index) => [ancestorHeaderKey(height - 1 - index), concatBytes(header)])

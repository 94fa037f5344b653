/** Checks stored blocks against what their headers commit to, and the chain of their hashes. */
import { equalBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { orderedTrieRoot } from '../../store/trie/ordered-root.ts'
import { blockSizeBytes } from '../records/block-size.ts'
import { encodeHeader, hashHeader } from '../records/header.ts'
import { countLogBytes, encodeReceipt, logsBloom, mergeBlooms } from '../records/receipt.ts'
import type { ChainReader } from './chain-reader.ts'
import { readStoredContent, type StoredContent } from './finalize-request.ts'
import type { HeaderRecord } from '../records/records.ts'

/** What a block of `height` has otherwise than its header says, in words; undefined when all is well. */
const transactionDifference = (
  reader: ChainReader,
  { header, sizeBytes, transactionCount, logCount, logBytes }: HeaderRecord,
) => {
  const { number: height } = header
  const transactions = reader.transactions(height)
  const raws = transactions.map(({ raw }) => raw)
  if (raws.length !== transactionCount) return `has ${raws.length} transactions, not ${transactionCount}`
  if (!equalBytes(orderedTrieRoot(raws), header.transactionsRoot)) return 'has other transactions than transactionsRoot'
  if (blockSizeBytes(encodeHeader(header), raws) !== sizeBytes) return `has another size than ${sizeBytes} bytes`
  const receipts = reader.receipts(height)
  const blooms = receipts.map(({ logs }) => logsBloom(logs))
  const encoded = receipts.map((receipt, index) => encodeReceipt(receipt, blooms[index] as Uint8Array))
  if (!equalBytes(orderedTrieRoot(encoded), header.receiptsRoot)) return 'has other receipts than receiptsRoot'
  if (!equalBytes(mergeBlooms(blooms), header.logsBloom)) return 'has other logs than logsBloom'
  if (receipts.reduce((sum, { logs }) => sum + logs.length, 0) !== logCount) return `has not ${logCount} logs`
  if (countLogBytes(receipts) !== logBytes) return `has not ${logBytes} bytes of logs`
  if ((receipts.at(-1)?.cumulativeGasUsed ?? 0n) !== header.gasUsed) return 'has another gasUsed than its receipts'
  for (const [index, { hash }] of transactions.entries()) {
    const position = reader.positionOf(hash)
    if (position?.height !== height || position.index !== index)
      return `is not found by transaction ${bytesToHex(hash)}`
  }
  for (const { hash, index } of reader.nativeResults(height)) {
    const position = reader.nativePositionOf(hash)
    if (position?.height !== height || position.index !== index)
      return `is not found by native transaction ${bytesToHex(hash)}`
  }
  return undefined
}

const headerDifference = (reader: ChainReader, { header, hash }: HeaderRecord, height: number): string | undefined => {
  if (header.number !== height) return `has the number ${header.number}`
  if (!equalBytes(hashHeader(encodeHeader(header)), hash)) return 'has another hash than its app hash'
  return reader.heightOfBlock(hash) === height ? undefined : 'is not found by its hash'
}

/** What the feed of committed blocks tells beside receipts and native results. */
const outcomeDifference = (
  reader: ChainReader,
  height: number,
  { transactions }: StoredContent,
): string | undefined => {
  const outcome = reader.blockOutcome(height)
  if (outcome === undefined) return 'has lost its events'
  const told = new Set(outcome.results.map(({ index }) => index))
  for (const index of told)
    if (index >= transactions.length) return `has a result of transaction ${index}, which it has not`
  const native = new Set(reader.nativeResults(height).map(({ index }) => index))
  const receipts = reader.receipts(height)
  for (const [index, { ethereum }] of transactions.entries()) {
    if (ethereum === undefined || native.has(index)) continue
    const failed = receipts[ethereum.index]?.succeeded === false
    if (failed && !told.has(index)) return `has lost why transaction ${index} failed`
    if (!failed && told.has(index)) return `says why transaction ${index} failed, which did not`
  }
  return undefined
}

interface Bounds {
  /** Height of the genesis block, which follows none. */
  readonly genesisHeight: number
  /** Height of the lowest block that is here: one that came with a snapshot has no request of FinalizeBlock. */
  readonly lowest: number
}

const blockDifference = (reader: ChainReader, height: number, bounds: Bounds): string | undefined => {
  const record = reader.header(height)
  if (record === undefined) return 'is missing'
  const difference = headerDifference(reader, record, height) ?? transactionDifference(reader, record)
  if (difference !== undefined || height === bounds.genesisHeight) return difference
  const content = readStoredContent(reader.store, height)
  if (content === undefined && height > bounds.lowest) return 'has lost its FinalizeBlock request'
  const lack = content === undefined ? undefined : outcomeDifference(reader, height, content)
  if (lack !== undefined) return lack
  const parent = reader.hashAt(height - 1)
  if (parent === undefined && height > bounds.lowest) return `follows block ${height - 1}, which is missing`
  if (parent === undefined || equalBytes(parent, record.header.parentHash)) return undefined
  return `does not follow block ${height - 1}`
}

/** The first difference among the blocks from `from` to `to`, in words. */
export const verifyBlocks = (reader: ChainReader, from: number, to: number, bounds: Bounds): string | undefined => {
  for (let height = from; height <= to; height++) {
    const difference = blockDifference(reader, height, bounds)
    if (difference !== undefined) return `block ${height} ${difference}`
  }
  return undefined
}

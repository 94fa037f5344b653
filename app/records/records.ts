/** Records of a block in the database: header, body and receipts, readable in parts by offsets. Large ones have pages: paged-items.ts. */
import type { Address } from '../../core/address.ts'
import {
  bigintToBytes,
  bytesToBigint,
  concatBytes,
  EMPTY_BYTES,
  readUint32,
  readUint64,
  uint32ToBytes,
  uint64ToBytes,
} from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { decodeRlp, encodeRlp, rlpListItems, splitRlpList } from '../../core/rlp.ts'
import type { Log } from '../../evm/engine.ts'
import type { Room } from '../../core/room.ts'
import { decodeHeader, encodeHeader, type Header } from './header.ts'
import type { Receipt } from './receipt.ts'

export interface HeaderRecord {
  readonly header: Header
  readonly hash: Hash
  /** Nanoseconds since 1970, as CometBFT has it. */
  readonly timeNs: bigint
  /** Length of the RLP of the whole Ethereum block. */
  readonly sizeBytes: number
  readonly transactionCount: number
  readonly logCount: number
  /** Bytes of their addresses, topics and data: what showing them costs is known before they are read. */
  readonly logBytes: number
}

export const encodeHeaderRecord = (record: HeaderRecord): Uint8Array =>
  encodeRlp([
    encodeHeader(record.header),
    record.hash,
    bigintToBytes(record.timeNs),
    bigintToBytes(BigInt(record.sizeBytes)),
    bigintToBytes(BigInt(record.transactionCount)),
    bigintToBytes(BigInt(record.logCount)),
    bigintToBytes(BigInt(record.logBytes)),
  ])

export const decodeHeaderRecord = (bytes: Uint8Array): HeaderRecord => {
  const fields = decodeRlp(bytes) as Uint8Array[]
  const field = (index: number): Uint8Array => fields[index] ?? EMPTY_BYTES
  return {
    header: decodeHeader(field(0)),
    hash: field(1).slice(),
    timeNs: bytesToBigint(field(2)),
    sizeBytes: Number(bytesToBigint(field(3))),
    transactionCount: Number(bytesToBigint(field(4))),
    logCount: Number(bytesToBigint(field(5))),
    logBytes: Number(bytesToBigint(field(6))),
  }
}

/** The bytes before the items. */
export const itemsHeadBytes = (count: number): number => 4 + 4 * count

/** count(4), end offsets(4 each): what stands before the items. */
export const encodeItemsHead = (ends: readonly number[]): Uint8Array => {
  const head = new Uint8Array(itemsHeadBytes(ends.length))
  const view = new DataView(head.buffer)
  view.setUint32(0, ends.length)
  for (const [index, end] of ends.entries()) view.setUint32(4 + 4 * index, end)
  return head
}

/** Head and items, in `room` if there is one. */
export const encodeItems = (items: readonly Uint8Array[], room?: Room): Uint8Array => {
  const base = itemsHeadBytes(items.length)
  const length = items.reduce((sum, item) => sum + item.length, base)
  const out = room?.take(length).subarray(0, length) ?? new Uint8Array(length)
  const view = new DataView(out.buffer, out.byteOffset)
  view.setUint32(0, items.length)
  let end = 0
  for (const [index, item] of items.entries()) {
    out.set(item, base + end)
    end += item.length
    view.setUint32(4 + 4 * index, end)
  }
  return out
}

export const itemCount = (record: Uint8Array): number => (record.length === 0 ? 0 : readUint32(record))

/** Item `index` as a view; the index must be below {@link itemCount}. */
export const itemAt = (record: Uint8Array, index: number): Uint8Array => {
  const base = 4 + 4 * itemCount(record)
  const start = index === 0 ? 0 : readUint32(record, 4 * index)
  return record.subarray(base + start, base + readUint32(record, 4 + 4 * index))
}

/** A transaction of a block with its sender, so that reading it needs no recovery. */
export interface BodyItem {
  readonly sender: Address
  readonly raw: Uint8Array
}

export const encodeBodyItem = ({ sender, raw }: BodyItem): Uint8Array => concatBytes(sender, raw)

export const decodeBodyItem = (item: Uint8Array): BodyItem => ({ sender: item.slice(0, 20), raw: item.slice(20) })

export const encodeStoredReceipt = (receipt: Receipt): Uint8Array =>
  encodeRlp([
    Uint8Array.of(receipt.type),
    receipt.succeeded ? Uint8Array.of(1) : EMPTY_BYTES,
    bigintToBytes(receipt.gasUsed),
    bigintToBytes(receipt.cumulativeGasUsed),
    bigintToBytes(receipt.effectiveGasPrice),
    receipt.contractAddress ?? EMPTY_BYTES,
    bigintToBytes(BigInt(receipt.firstLogIndex)),
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
  ])

const LOGS_FIELD = 7
const EMPTY_LIST = encodeRlp([])

type StoredReceipt = [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  [Uint8Array, Uint8Array[], Uint8Array][],
]

/** The logs of a stored receipt one by one, each decoded when it is read: it can have tens of thousands. */
export function* readStoredLogs(bytes: Uint8Array): Generator<() => Log> {
  const logs = splitRlpList(bytes)[LOGS_FIELD] ?? EMPTY_LIST
  for (const item of rlpListItems(logs))
    yield () => {
      const [address, topics, data] = decodeRlp(item) as [Uint8Array, Uint8Array[], Uint8Array]
      return { address, topics, data }
    }
}

export const decodeStoredReceipt = (bytes: Uint8Array): Receipt => {
  const [type, succeeded, gasUsed, cumulative, price, contract, firstLogIndex, logs] = decodeRlp(
    bytes,
  ) as unknown as StoredReceipt
  return {
    type: type[0] ?? 0,
    succeeded: succeeded.length > 0,
    gasUsed: bytesToBigint(gasUsed),
    cumulativeGasUsed: bytesToBigint(cumulative),
    effectiveGasPrice: bytesToBigint(price),
    contractAddress: contract.length === 0 ? undefined : contract,
    firstLogIndex: Number(bytesToBigint(firstLogIndex)),
    logs: logs.map(([address, topics, data]) => ({ address, topics, data })),
  }
}

const GAS_USED_FIELD = 2
const PRICE_FIELD = 4
const FIRST_LOG_FIELD = 6

/** A field of a stored receipt, without its logs being read: those before them are short texts of RLP. */
const readField = (bytes: Uint8Array, wanted: number): bigint => {
  const lengthAt = (at: number): number => ((bytes[at] as number) < 0x80 ? 1 : 1 + (bytes[at] as number) - 0x80)
  const list = bytes[0] as number
  let at = list < 0xf8 ? 1 : 1 + list - 0xf7
  for (let field = 0; field < wanted; field++) at += lengthAt(at)
  const first = bytes[at] as number
  return first < 0x80 ? BigInt(first) : bytesToBigint(bytes.subarray(at + 1, at + lengthAt(at)))
}

export const readFirstLogIndex = (bytes: Uint8Array): number => Number(readField(bytes, FIRST_LOG_FIELD))

export type ReceiptGas = Pick<Receipt, 'gasUsed' | 'effectiveGasPrice'>

export const readReceiptGas = (bytes: Uint8Array): ReceiptGas => ({
  gasUsed: readField(bytes, GAS_USED_FIELD),
  effectiveGasPrice: readField(bytes, PRICE_FIELD),
})

export interface TransactionPosition {
  readonly height: number
  readonly index: number
}

export const encodePosition = ({ height, index }: TransactionPosition): Uint8Array =>
  concatBytes(uint64ToBytes(height), uint32ToBytes(index))

export const decodePosition = (bytes: Uint8Array): TransactionPosition => ({
  height: readUint64(bytes),
  index: readUint32(bytes, 8),
})

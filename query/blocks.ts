/** Blocks, transactions and receipts as JSON-RPC shows them. Unknown ones are null. */
import { bytesToHex, hexToBytes, quantityToHex } from '../core/hex.ts'
import { EMPTY_BYTES } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../core/limits.ts'
import { answerTooLarge } from '../app/errors.ts'
import { keccak256 } from '../core/hash.ts'
import { decodeTransaction } from '../evm/transaction/decode-transaction.ts'
import type { TransactionPosition } from '../app/records/records.ts'
import type { BlockReference, Head, Questions } from '../app/ports.ts'
import { headOf } from './announcer.ts'
import { pendingBlock, pendingCount, pendingReceipts, pendingSignedAt, pendingTransactionAt } from './pending.ts'
import { firstHeight, isPending, requireHeader, resolveHeight, type ChainView } from './chain-view.ts'
import { blockJson, type Json, receiptJson, transactionJson, transactionText } from './ethereum-json.ts'

export const block = (view: ChainView, { block: reference, full }: Questions['block']): string | Promise<string> => {
  if (isPending(reference)) return pendingBlock(view, full).then((shown) => JSON.stringify(shown))
  const height = resolveHeight(view, reference)
  return height === undefined ? 'null' : blockAt(view, height, full)
}

/** What a block has besides its header. */
const BODY: ReadonlySet<string> = new Set(['size', 'transactions', 'uncles', 'withdrawals'])

const emptyBlockAt = (view: ChainView, height: number): Json => {
  const { header, hash, sizeBytes } = requireHeader(view, height)
  return blockJson(header, hash, sizeBytes, [])
}

export const header = async (view: ChainView, { block: reference }: Questions['header']): Promise<Json | null> => {
  const height = isPending(reference) ? undefined : resolveHeight(view, reference)
  const pending = isPending(reference) ? await pendingBlock(view, false) : null
  const whole = height === undefined ? pending : emptyBlockAt(view, height)
  return whole === null ? null : Object.fromEntries(Object.entries(whole).filter(([name]) => !BODY.has(name)))
}

const NO_TRANSACTIONS = '"transactions":[]'

const blockAt = (view: ChainView, height: number, full: boolean): string => {
  const { header, hash, sizeBytes, transactionCount } = requireHeader(view, height)
  if (!full) {
    return JSON.stringify(blockJson(header, hash, sizeBytes, view.reader.transactionHashes(height).map(bytesToHex)))
  }
  const { baseFeePerGas } = header
  const blockHash = bytesToHex(hash)
  const texts: string[] = []
  for (let index = 0; index < transactionCount; index++) {
    const signed = view.reader.transaction(height, index)
    invariant(signed !== undefined, `block ${height} has no transaction ${index}`)
    texts.push(transactionText(signed, { blockHash, height, index, baseFeePerGas }))
  }
  const text = JSON.stringify(blockJson(header, hash, sizeBytes, []))
  return text.replace(NO_TRANSACTIONS, () => `"transactions":[${texts.join(',')}]`)
}

export const blockTransactionCount = (
  view: ChainView,
  reference: BlockReference,
): string | null | Promise<string | null> => {
  if (isPending(reference)) return pendingCount(view).then(quantityToHex)
  const height = resolveHeight(view, reference)
  return height === undefined ? null : quantityToHex(requireHeader(view, height).transactionCount)
}

function* receiptsAt(view: ChainView, height: number): Generator<Json> {
  const record = requireHeader(view, height)
  for (let index = 0; index < record.transactionCount; index++) {
    const signed = view.reader.transaction(height, index)
    const receipt = view.reader.receipt(height, index)
    if (signed === undefined || receipt === undefined) return
    const { hash: transactionHash, sender: from, transaction } = signed
    yield receiptJson(receipt, { record, index, transactionHash, from, to: transaction.to })
  }
}

/** Text by text: as objects all receipts of a block take many times the memory. Throws query/7. */
export const blockReceipts = async (
  view: ChainView,
  { block: reference }: Questions['blockReceipts'],
): Promise<string> => {
  const height = isPending(reference) ? undefined : resolveHeight(view, reference)
  if (height === undefined && !isPending(reference)) return 'null'
  const texts: string[] = []
  let size = 0
  for (const shown of height === undefined ? await pendingReceipts(view) : receiptsAt(view, height)) {
    const text = JSON.stringify(shown)
    size += text.length + 1
    if (size > MAX_STREAM_FRAME_BYTES) throw answerTooLarge(MAX_STREAM_FRAME_BYTES)
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}

/** Where a transaction is, in a block that is here up to the head: pruning may not have come to its index yet. */
const positionOf = (view: ChainView, hash: Uint8Array): TransactionPosition | undefined => {
  const position = view.reader.positionOf(hash)
  if (position === undefined || position.height > view.head) return undefined
  return position.height < firstHeight(view) ? undefined : position
}

const transactionByPosition = (view: ChainView, height: number, index: number): Json | null => {
  const signed = view.reader.transaction(height, index)
  if (signed === undefined) return null
  const { header, hash } = requireHeader(view, height)
  return transactionJson(signed, { blockHash: bytesToHex(hash), height, index, baseFeePerGas: header.baseFeePerGas })
}

/** A transaction in a block up to the head; null when there is none. */
export const transactionByHash = (view: ChainView, hash: Uint8Array): Json | null => {
  const position = positionOf(view, hash)
  return position === undefined ? null : transactionByPosition(view, position.height, position.index)
}

export const transactionByIndex = (
  view: ChainView,
  { block: reference, index }: Questions['transactionByIndex'],
): Json | null | Promise<Json | null> => {
  if (isPending(reference)) return pendingTransactionAt(view, index)
  const height = resolveHeight(view, reference)
  return height === undefined ? null : transactionByPosition(view, height, index)
}

export const rawTransaction = (view: ChainView, hash: Uint8Array): Uint8Array => {
  const position = positionOf(view, hash)
  if (position === undefined) return EMPTY_BYTES
  return view.reader.transaction(position.height, position.index)?.raw ?? EMPTY_BYTES
}

/** Gives the bytes of a transaction of a block, and none where there is no such transaction. */
export const rawTransactionByIndex = async (
  view: ChainView,
  { block: reference, index }: Questions['rawTransactionByIndex'],
): Promise<string> => {
  const height = isPending(reference) ? undefined : resolveHeight(view, reference)
  const signed = isPending(reference)
    ? await pendingSignedAt(view, index)
    : height === undefined
      ? undefined
      : view.reader.transaction(height, index)
  return bytesToHex(signed?.raw ?? EMPTY_BYTES)
}

export const receipt = (view: ChainView, { hash }: Questions['receipt']): Json | null => {
  const transactionHash = hexToBytes(hash)
  const position = positionOf(view, transactionHash)
  if (position === undefined) return null
  const { height, index } = position
  const signed = view.reader.transaction(height, index)
  const stored = view.reader.receipt(height, index)
  if (signed === undefined || stored === undefined) return null
  return receiptJson(stored, {
    record: requireHeader(view, height),
    index,
    transactionHash,
    from: signed.sender,
    to: signed.transaction.to,
  })
}

/** Transactions as they look while they wait. */
export const waitingTransactions = (
  { pending }: Pick<ChainView, 'pending'>,
  { senders }: Questions['waitingTransactions'],
): readonly Json[] =>
  pending.map((raw, index) => {
    const sender = hexToBytes(senders[index] ?? '0x')
    return transactionJson({ transaction: decodeTransaction(raw), raw, hash: keccak256(raw), sender }, undefined)
  })

const MAX_HEADS = 100

/** See the question `heads`: as many of the blocks as are here. */
export const heads = (view: ChainView, { from, to }: Questions['heads']): readonly Head[] => {
  const { chainId, evmChainId } = view.parameters
  const last = Math.min(to, view.head, from + MAX_HEADS - 1)
  const out: Head[] = []
  for (let height = Math.max(from, firstHeight(view)); height <= last; height++) {
    out.push(headOf(requireHeader(view, height), { chainId, evmChainId: Number(evmChainId), catchingUp: false }))
  }
  return out
}

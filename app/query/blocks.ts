/** Blocks, transactions and receipts as JSON-RPC shows them. Unknown ones are null. */
import { bytesToHex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { TransactionPosition } from '../index/records.ts'
import type { BlockReference, Questions } from '../ports.ts'
import { pendingBlock, pendingCount, pendingReceipts, pendingSignedAt, pendingTransactionAt } from './pending.ts'
import { firstHeight, isPending, requireHeader, resolveHeight, type View } from './view.ts'
import { blockView, type Json, receiptView, transactionView } from './views.ts'

export const block = async (view: View, { block: reference, full }: Questions['block']): Promise<Json | null> => {
  if (isPending(reference)) return pendingBlock(view, full)
  const height = resolveHeight(view, reference)
  return height === undefined ? null : blockAt(view, height, full)
}

/** What a block has besides its header. */
const BODY: ReadonlySet<string> = new Set(['size', 'transactions', 'uncles', 'withdrawals'])

export const header = async (view: View, { block: reference }: Questions['header']): Promise<Json | null> => {
  const whole = await block(view, { block: reference, full: false })
  return whole === null ? null : Object.fromEntries(Object.entries(whole).filter(([name]) => !BODY.has(name)))
}

const blockAt = (view: View, height: number, full: boolean): Json => {
  const { header, hash, sizeBytes } = requireHeader(view, height)
  const blockHash = bytesToHex(hash)
  const transactions = full
    ? view.reader
        .transactions(height)
        .map((signed, index) =>
          transactionView(signed, { blockHash, height, index, baseFeePerGas: header.baseFeePerGas }),
        )
    : view.reader.transactionHashes(height).map(bytesToHex)
  return blockView(header, hash, sizeBytes, transactions)
}

export const blockTransactionCount = (
  view: View,
  reference: BlockReference,
): string | null | Promise<string | null> => {
  if (isPending(reference)) return pendingCount(view).then(quantityToHex)
  const height = resolveHeight(view, reference)
  return height === undefined ? null : quantityToHex(requireHeader(view, height).transactionCount)
}

export const blockReceipts = (
  view: View,
  reference: BlockReference,
): readonly Json[] | null | Promise<readonly Json[]> => {
  if (isPending(reference)) return pendingReceipts(view)
  const height = resolveHeight(view, reference)
  if (height === undefined) return null
  const record = requireHeader(view, height)
  const receipts = view.reader.receipts(height)
  return view.reader.transactions(height).flatMap((signed, index) => {
    const receipt = receipts[index]
    if (receipt === undefined) return []
    const { hash: transactionHash, sender: from, transaction } = signed
    return [receiptView(receipt, { record, index, transactionHash, from, to: transaction.to })]
  })
}

/** Where a transaction is, in a block that is here up to the head: pruning may not have come to its index yet. */
const positionOf = (view: View, hash: Uint8Array): TransactionPosition | undefined => {
  const position = view.reader.positionOf(hash)
  if (position === undefined || position.height > view.head) return undefined
  return position.height < firstHeight(view) ? undefined : position
}

const transactionByPosition = (view: View, height: number, index: number): Json | null => {
  const signed = view.reader.transaction(height, index)
  if (signed === undefined) return null
  const { header, hash } = requireHeader(view, height)
  return transactionView(signed, { blockHash: bytesToHex(hash), height, index, baseFeePerGas: header.baseFeePerGas })
}

/** A transaction in a block up to the head; null when there is none. */
export const transactionByHash = (view: View, hash: Uint8Array): Json | null => {
  const position = positionOf(view, hash)
  return position === undefined ? null : transactionByPosition(view, position.height, position.index)
}

export const transactionByIndex = (
  view: View,
  { block: reference, index }: Questions['transactionByIndex'],
): Json | null | Promise<Json | null> => {
  if (isPending(reference)) return pendingTransactionAt(view, index)
  const height = resolveHeight(view, reference)
  return height === undefined ? null : transactionByPosition(view, height, index)
}

export const rawTransaction = (view: View, hash: Uint8Array): Uint8Array => {
  const position = positionOf(view, hash)
  if (position === undefined) return EMPTY_BYTES
  return view.reader.transaction(position.height, position.index)?.raw ?? EMPTY_BYTES
}

/** Of what is not there no bytes. */
export const rawTransactionByIndex = async (
  view: View,
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

export const receipt = (view: View, { hash }: Questions['receipt']): Json | null => {
  const transactionHash = hexToBytes(hash)
  const position = positionOf(view, transactionHash)
  if (position === undefined) return null
  const { height, index } = position
  const signed = view.reader.transaction(height, index)
  const stored = view.reader.receipt(height, index)
  if (signed === undefined || stored === undefined) return null
  return receiptView(stored, {
    record: requireHeader(view, height),
    index,
    transactionHash,
    from: signed.sender,
    to: signed.transaction.to,
  })
}

/** Transactions of blocks with their results, from this node's own records. */
import { sha256 } from '../core/hash.ts'
import type { tx } from '../proto/index.ts'
import { ethereumResult } from '../app/families/ethereum/result.ts'
import { decodeNativeResult } from '../app/index/native-results.ts'
import type { TransactionPosition } from '../app/records/records.ts'
import { anyTx, ethereumTx, type PlacedTransaction } from './cosmos-tx.ts'
import { requireHeader, type ChainView } from './chain-view.ts'

export interface ShownPlaced {
  readonly placed: PlacedTransaction
  readonly shown: tx.Tx
}

/** `index` is its place in the Ethereum block. Undefined when there is none. */
export const placeEthereum = (view: ChainView, { height, index }: TransactionPosition): ShownPlaced | undefined => {
  const { reader } = view
  const [signed, receipt] = [reader.transaction(height, index), reader.receipt(height, index)]
  if (signed === undefined || receipt === undefined) return undefined
  const own = reader.nativePositionOf(sha256(signed.raw))
  const stored = own?.height === height ? reader.nativeResult(height, own.index) : undefined
  const failure = receipt.succeeded ? undefined : ''
  const result = stored === undefined ? ethereumResult({ signed, receipt, failure }, index) : decodeNativeResult(stored)
  const placed = { raw: signed.raw, height, timeNs: requireHeader(view, height).timeNs, result }
  return { placed, shown: ethereumTx(signed) }
}

/** `index` is its place among all transactions of the block. Undefined where no result of it is kept. */
export const placeNative = (
  view: ChainView,
  { height, index }: TransactionPosition,
  raw: Uint8Array,
): ShownPlaced | undefined => {
  const found = view.reader.nativeResult(height, index)
  if (found === undefined) return undefined
  const placed = { raw, height, timeNs: requireHeader(view, height).timeNs, result: decodeNativeResult(found) }
  return { placed, shown: anyTx(raw) }
}

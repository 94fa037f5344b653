/** debug_getRaw*: blocks, headers and receipts in their RLP. */
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import type { CodedError } from '../../core/errors.ts'
import { decodeRlp, encodeRlp, type RlpInput } from '../../core/rlp.ts'
import { encodeHeader } from '../../app/records/header.ts'
import { encodeReceipt, logsBloom } from '../../app/records/receipt.ts'
import { prunedHistory, queryFailed } from '../../app/errors.ts'
import type { BlockReference, Questions } from '../../app/ports.ts'
import { isPending, isPrunedBlock, requireHeader, resolveHeight, type ChainView } from '../chain-view.ts'

/** The error prints the bytes of the unknown hash as geth does. */
const unknownHash = (what: string, hash: Hex): CodedError =>
  queryFailed(`${what} #[${hexToBytes(hash).join(' ')}] not found`)

/** Undefined for a number that is no block's. The pending block has no header by its hash, as in geth. */
const heightOf = (view: ChainView, what: string, block: BlockReference): number | undefined => {
  if (isPending(block)) throw queryFailed(`${what} of the pending block not found`)
  const height = resolveHeight(view, block)
  if (height === undefined && 'hash' in block) throw unknownHash(what, block.hash)
  if (isPrunedBlock(view, block)) throw prunedHistory()
  return height
}

export const rawHeader = (view: ChainView, { block }: Questions['rawHeader']): Hex => {
  const height = heightOf(view, 'header', block)
  return height === undefined ? '0x' : bytesToHex(encodeHeader(requireHeader(view, height).header))
}

const isList = (raw: Uint8Array): boolean => (raw[0] as number) >= 0xc0

export const rawBlock = (view: ChainView, { block }: Questions['rawBlock']): Hex => {
  const height = heightOf(view, 'block', block)
  if (height === undefined) return '0x'
  const header = decodeRlp(encodeHeader(requireHeader(view, height).header))
  const transactions = view.reader.transactions(height).map(({ raw }): RlpInput => (isList(raw) ? decodeRlp(raw) : raw))
  // No uncles, no withdrawals.
  return bytesToHex(encodeRlp([header, transactions, [], []]))
}

/** Null for a number that is no block's. */
export const rawReceipts = (view: ChainView, { block }: Questions['rawReceipts']): readonly Hex[] | null => {
  if (isPending(block)) return []
  if (isPrunedBlock(view, block)) throw prunedHistory()
  const height = resolveHeight(view, block)
  if (height === undefined) return 'hash' in block ? [] : null
  return view.reader.receipts(height).map((receipt) => bytesToHex(encodeReceipt(receipt, logsBloom(receipt.logs))))
}

/** The pool as txpool_* shows it, in geth's shapes. */
import { checksumAddress } from '../core/address.ts'
import { keyToBytes } from '../core/bytes.ts'
import { hexToBytes, quantityToHex } from '../core/hex.ts'
import { feeCap } from '../evm/transaction/validity.ts'
import { type EthereumEntry, isEthereum } from '../app/families/ethereum/entry.ts'
import type { AccountQueue } from '../app/pool/account-queue.ts'
import type { PoolEntry } from '../app/pool/entry.ts'
import type { Pool } from '../app/pool/pool.ts'
import { limitExceeded } from '../app/errors.ts'
import { type Json, transactionJson } from './ethereum-json.ts'

/** The most shown transactions: with more, txpool_content would not fit a reply; txpool_contentFrom still answers. */
const MAX_SHOWN = 20_000

/** Characters of an answer, about: it is made by the thread that executes blocks. */
const MAX_SHOWN_TEXT = 8 * 1024 * 1024
const ENTRY_TEXT = 600

type Show = (entry: EthereumEntry) => unknown

/** Native transactions are none that a wallet could read. */
const byNonce = (entries: Iterable<PoolEntry>, show: Show): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const entry of entries) if (isEthereum(entry)) out[entry.nonce.toString()] = show(entry)
  return out
}

const pendingJson = ({ signed }: EthereumEntry): Json => transactionJson(signed, undefined)

/** Shows until the answer would be too large; throws query/5 then. */
const bounded = (show: Show): Show => {
  let size = 0
  return (entry) => {
    size += ENTRY_TEXT + 2 * entry.signed.raw.length
    if (size > MAX_SHOWN_TEXT)
      throw limitExceeded(`the answer would have more than ${MAX_SHOWN_TEXT} bytes: ask for less`)
    return show(entry)
  }
}

const inspectView = ({ signed: { transaction } }: EthereumEntry): string => {
  const target = transaction.to === undefined ? 'contract creation' : checksumAddress(transaction.to)
  return `${target}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${feeCap(transaction)} wei`
}

const everything = (pool: Pool, show: Show): Json => {
  if (pool.size > MAX_SHOWN) {
    throw limitExceeded(
      `the pool holds ${pool.size} transactions, at most ${MAX_SHOWN} are shown: use txpool_contentFrom`,
    )
  }
  const pending: Record<string, unknown> = {}
  const queued: Record<string, unknown> = {}
  for (const [key, queue] of pool.accounts()) {
    const address = checksumAddress(keyToBytes(key))
    const executable = byNonce(queue.executable(), show)
    const waiting = byNonce(queue.waiting(), show)
    if (Object.keys(executable).length > 0) pending[address] = executable
    if (Object.keys(waiting).length > 0) queued[address] = waiting
  }
  return { pending, queued }
}

export const txpoolContent = (pool: Pool): Json => everything(pool, bounded(pendingJson))

export const txpoolInspect = (pool: Pool): Json => everything(pool, inspectView)

export const txpoolContentFrom = (pool: Pool, address: string): Json => {
  const queue: AccountQueue | undefined = pool.account(hexToBytes(address))
  const show = bounded(pendingJson)
  return {
    pending: byNonce(queue?.executable() ?? [], show),
    queued: byNonce(queue?.waiting() ?? [], show),
  }
}

export const txpoolStatus = (pool: Pool): Json => {
  const { executable, waiting } = pool.announcedCounts()
  return { pending: quantityToHex(executable), queued: quantityToHex(waiting) }
}

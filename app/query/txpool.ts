/** The pool as txpool_* shows it, in geth's shapes. */
import { checksumAddress } from '../../core/address.ts'
import { keyToBytes } from '../../core/bytes.ts'
import { hexToBytes, quantityToHex } from '../../core/hex.ts'
import { feeCap } from '../../evm/transaction/validity.ts'
import type { AccountQueue, PoolEntry } from '../pool/account-queue.ts'
import type { Pool } from '../pool/pool.ts'
import { limitExceeded } from '../errors.ts'
import { type Json, transactionView } from './views.ts'

/** Above this txpool_content would not fit a reply: txpool_contentFrom still answers. */
const MAX_SHOWN = 20_000

const byNonce = (entries: Iterable<PoolEntry>, show: (entry: PoolEntry) => unknown): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const entry of entries) out[entry.signed.transaction.nonce.toString()] = show(entry)
  return out
}

const pendingView = ({ signed }: PoolEntry): Json => transactionView(signed, undefined)

const inspectView = ({ signed: { transaction } }: PoolEntry): string => {
  const target = transaction.to === undefined ? 'contract creation' : checksumAddress(transaction.to)
  return `${target}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${feeCap(transaction)} wei`
}

const everything = (pool: Pool, show: (entry: PoolEntry) => unknown): Json => {
  if (pool.size > MAX_SHOWN) {
    throw limitExceeded(
      `the pool holds ${pool.size} transactions, at most ${MAX_SHOWN} are shown: use txpool_contentFrom`,
    )
  }
  const pending: Record<string, unknown> = {}
  const queued: Record<string, unknown> = {}
  for (const [key, queue] of pool.accounts()) {
    const address = checksumAddress(keyToBytes(key))
    if (queue.executableCount > 0) pending[address] = byNonce(queue.executable(), show)
    if (queue.waitingCount > 0) queued[address] = byNonce(queue.waiting(), show)
  }
  return { pending, queued }
}

export const txpoolContent = (pool: Pool): Json => everything(pool, pendingView)

export const txpoolInspect = (pool: Pool): Json => everything(pool, inspectView)

export const txpoolContentFrom = (pool: Pool, address: string): Json => {
  const queue: AccountQueue | undefined = pool.account(hexToBytes(address))
  return {
    pending: byNonce(queue?.executable() ?? [], pendingView),
    queued: byNonce(queue?.waiting() ?? [], pendingView),
  }
}

export const txpoolStatus = (pool: Pool): Json => ({
  pending: quantityToHex(pool.executableCount),
  queued: quantityToHex(pool.waitingCount),
})

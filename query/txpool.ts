/** The pool as txpool_* shows it, in geth's shapes. */
import { checksumAddress } from '../core/address.ts'
import { stringToText, type Text } from '../core/text.ts'
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

/** The JSON text of what is shown of a transaction. */
type Show = (entry: EthereumEntry) => string

/** The text of an object whose members are texts of JSON, and whose names need no escapes. */
const objectText = (members: ReadonlyMap<string, string>): string =>
  `{${[...members].map(([name, text]) => `"${name}":${text}`).join(',')}}`

/** Native transactions are none that a wallet could read. */
const byNonce = (entries: Iterable<PoolEntry>, show: Show): ReadonlyMap<string, string> => {
  const out = new Map<string, string>()
  for (const entry of entries) if (isEthereum(entry)) out.set(entry.nonce.toString(), show(entry))
  return out
}

/** Made once for each transaction: thousands of them are shown again and again by the thread that executes blocks. */
const remembered = (show: Show): Show => {
  const known = new WeakMap<EthereumEntry, string>()
  return (entry) => {
    const before = known.get(entry)
    if (before !== undefined) return before
    const text = show(entry)
    known.set(entry, text)
    return text
  }
}

const pendingText = remembered(({ signed }) => JSON.stringify(transactionJson(signed, undefined)))

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

const inspectText = remembered(({ signed: { transaction } }) => {
  const target = transaction.to === undefined ? 'contract creation' : checksumAddress(transaction.to)
  return JSON.stringify(
    `${target}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${feeCap(transaction)} wei`,
  )
})

const everything = (pool: Pool, show: Show): Text => {
  if (pool.size > MAX_SHOWN) {
    throw limitExceeded(
      `the pool holds ${pool.size} transactions, at most ${MAX_SHOWN} are shown: use txpool_contentFrom`,
    )
  }
  const pending = new Map<string, string>()
  const queued = new Map<string, string>()
  for (const [key, queue] of pool.accounts()) {
    const address = checksumAddress(keyToBytes(key))
    const executable = byNonce(queue.executable(), show)
    const waiting = byNonce(queue.waiting(), show)
    if (executable.size > 0) pending.set(address, objectText(executable))
    if (waiting.size > 0) queued.set(address, objectText(waiting))
  }
  return stringToText(`{"pending":${objectText(pending)},"queued":${objectText(queued)}}`)
}

export const txpoolContent = (pool: Pool): Text => everything(pool, bounded(pendingText))

export const txpoolInspect = (pool: Pool): Text => everything(pool, inspectText)

export const txpoolContentFrom = (pool: Pool, address: string): Text => {
  const queue: AccountQueue | undefined = pool.account(hexToBytes(address))
  const show = bounded(pendingText)
  const pending = objectText(byNonce(queue?.executable() ?? [], show))
  const queued = objectText(byNonce(queue?.waiting() ?? [], show))
  return stringToText(`{"pending":${pending},"queued":${queued}}`)
}

export const txpoolStatus = (pool: Pool): Json => {
  const { executable, waiting } = pool.announcedCounts()
  return { pending: quantityToHex(executable), queued: quantityToHex(waiting) }
}

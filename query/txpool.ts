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
import type { CodedError } from '../core/errors.ts'
import { type Json, transactionJson } from './ethereum-json.ts'

/** The most shown transactions: with more, txpool_content would not fit a reply; txpool_contentFrom still answers. */
const MAX_SHOWN = 20_000

/** Characters of an answer, about: it is made by the thread that executes blocks. */
const MAX_SHOWN_TEXT = 8 * 1024 * 1024
const ENTRY_TEXT = 600

const NOTHING = { pending: '', queued: '' }

/** The JSON text of what is shown of a transaction. */
type Show = (entry: EthereumEntry) => string

/** An account's transactions by nonce, as texts of JSON; empty where there are none. */
interface ShownAccount {
  readonly revision: number
  readonly pending: string
  readonly queued: string
  /** Characters, about, that the texts were bounded by. */
  readonly size: number
}

/** One view of the pool. What it has made it keeps: the thread that executes blocks makes it, and thousands may ask at once. */
interface View {
  readonly show: Show
  readonly mostText: number
  readonly accounts: WeakMap<AccountQueue, ShownAccount>
  readonly whole: WeakMap<Pool, Whole>
}

interface Whole {
  /** Each account with its revision, in the order of the pool. */
  readonly of: readonly (readonly [AccountQueue, number])[]
  readonly text: Text
}

/** Made once for each transaction. */
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

const viewOf = (show: Show, mostText: number): View => ({
  show: remembered(show),
  mostText,
  accounts: new WeakMap(),
  whole: new WeakMap(),
})

const CONTENT = viewOf(({ signed }) => JSON.stringify(transactionJson(signed, undefined)), MAX_SHOWN_TEXT)

const INSPECT = viewOf(({ signed: { transaction } }) => {
  const target = transaction.to === undefined ? 'contract creation' : checksumAddress(transaction.to)
  return JSON.stringify(
    `${target}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${feeCap(transaction)} wei`,
  )
}, Number.POSITIVE_INFINITY)

const tooLong = (most: number): CodedError =>
  limitExceeded(`the answer would have more than ${most} bytes: ask for less`)

/** Native transactions are none that a wallet could read. Throws query/5 where the text would be too long. */
const byNonce = (entries: Iterable<PoolEntry>, { show, mostText }: View, sizeBefore = 0) => {
  const members: string[] = []
  let size = sizeBefore
  for (const entry of entries) {
    if (!isEthereum(entry)) continue
    size += ENTRY_TEXT + 2 * entry.signed.raw.length
    if (size > mostText) throw tooLong(mostText)
    members.push(`"${entry.nonce}":${show(entry)}`)
  }
  return { text: members.length === 0 ? '' : `{${members.join(',')}}`, size }
}

const shownAccount = (queue: AccountQueue, view: View): ShownAccount => {
  const known = view.accounts.get(queue)
  if (known?.revision === queue.revision) return known
  const pending = byNonce(queue.executable(), view)
  const queued = byNonce(queue.waiting(), view, pending.size)
  const shown = { revision: queue.revision, pending: pending.text, queued: queued.text, size: queued.size }
  view.accounts.set(queue, shown)
  return shown
}

const isOfNow = ({ of }: Whole, pool: Pool): boolean => {
  let index = 0
  for (const queue of pool.queues()) {
    const known = of[index++]
    if (known === undefined || known[0] !== queue || known[1] !== queue.revision) return false
  }
  return index === of.length
}

const makeWhole = (pool: Pool, view: View): Text => {
  const pending: string[] = []
  const queued: string[] = []
  let size = 0
  for (const [key, queue] of pool.accounts()) {
    const shown = shownAccount(queue, view)
    size += shown.size
    if (size > view.mostText) throw tooLong(view.mostText)
    const name = `"${checksumAddress(keyToBytes(key))}":`
    if (shown.pending !== '') pending.push(name + shown.pending)
    if (shown.queued !== '') queued.push(name + shown.queued)
  }
  return stringToText(`{"pending":{${pending.join(',')}},"queued":{${queued.join(',')}}}`)
}

const everything = (pool: Pool, view: View): Text => {
  if (pool.size > MAX_SHOWN) {
    throw limitExceeded(
      `the pool holds ${pool.size} transactions, at most ${MAX_SHOWN} are shown: use txpool_contentFrom`,
    )
  }
  const kept = view.whole.get(pool)
  if (kept !== undefined && isOfNow(kept, pool)) return kept.text
  const text = makeWhole(pool, view)
  view.whole.set(pool, { of: [...pool.queues()].map((queue) => [queue, queue.revision] as const), text })
  return text
}

export const txpoolContent = (pool: Pool): Text => everything(pool, CONTENT)

export const txpoolInspect = (pool: Pool): Text => everything(pool, INSPECT)

export const txpoolContentFrom = (pool: Pool, address: string): Text => {
  const queue: AccountQueue | undefined = pool.account(hexToBytes(address))
  const { pending, queued } = queue === undefined ? NOTHING : shownAccount(queue, CONTENT)
  return stringToText(`{"pending":${pending || '{}'},"queued":${queued || '{}'}}`)
}

export const txpoolStatus = (pool: Pool): Json => {
  const { executable, waiting } = pool.announcedCounts()
  return { pending: quantityToHex(executable), queued: quantityToHex(waiting) }
}

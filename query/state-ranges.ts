/** debug_storageRangeAt and debug_accountRange: pages of storage and of accounts in the order of their hashes. */
import { type Address, checksumAddress } from '../core/address.ts'
import { bytesToBase64, bytesToKey, compareBytes, keyToBytes, padLeft } from '../core/bytes.ts'
import { EMPTY_CODE_HASH, type Hash, keccak256 } from '../core/hash.ts'
import { bytesToHex, bytesToUnprefixedHex, hexToBytes, quantityToHex } from '../core/hex.ts'
import type { Overlay } from '../store/overlay.ts'
import { scanAccountsAt, scanStorageAt, type StateHeight } from '../store/scan-at.ts'
import type { AccountState } from '../store/state.ts'
import { prunedHistory, queryFailed } from '../app/errors.ts'
import type { BlockReference, Questions } from '../app/ports.ts'
import { BlockReplay } from './trace/block-replay.ts'
import { TraceBudget } from './trace/budget.ts'
import {
  firstHeight,
  isPending,
  isPrunedBlock,
  requireHeader,
  requireKept,
  resolveHeight,
  type ChainView,
} from './chain-view.ts'
import type { Json } from './ethereum-json.ts'

/** Accounts of one answer, as in geth; slots, of which geth gives as many as are asked for. The rest is the next page. */
const MAX_ACCOUNTS = 256
const MAX_SLOTS = 10_000
/** Bytes of JSON of an account and of a slot, about. */
const ACCOUNT_BYTES = 400
const SLOT_BYTES = 240
const WORD_BYTES = 32

export const timeOf = ({ clock, settings, interrupt }: ChainView): TraceBudget =>
  new TraceBudget({ clock, interrupt, timeoutMs: Infinity, totalMs: settings.evmTimeoutMs })

/** The flat state as scans see it; throws query/8 or query/9 where it is not kept. */
export const scannedState = (view: ChainView, height: number): StateHeight => {
  view.stateAt(height)
  // The newest values are corrected by the history, which is right whatever has been committed since.
  return { store: view.reader.store, height, committedHeight: () => Number.MAX_SAFE_INTEGER }
}

interface Hashed<Item> {
  readonly hash: Hash
  readonly item: Item
}

const compareHashes = <Item>(a: Hashed<Item>, b: Hashed<Item>): number => compareBytes(a.hash, b.hash)

/**
 * The first `most` items from `start` on, by hash, the hash of the one behind them, and how many were found at all. The
 * flat state is ordered by what is hashed: all of it is read, and no more kept than is asked for.
 */
const firstByHash = <Item>(
  items: Iterable<readonly [Uint8Array, Item]>,
  start: Uint8Array,
  most: number,
  budget: TraceBudget,
): { readonly page: readonly Hashed<Item>[]; readonly next: Hash | undefined; readonly found: number } => {
  let kept: Hashed<Item>[] = []
  let found = 0
  for (const [key, item] of items) {
    budget.step()
    found++
    const hash = keccak256(key)
    if (compareBytes(hash, start) < 0) continue
    kept.push({ hash, item })
    if (kept.length > 2 * most + MAX_SLOTS) kept = kept.sort(compareHashes).slice(0, most + 1)
  }
  kept.sort(compareHashes)
  return { page: kept.slice(0, most), next: kept[most]?.hash, found }
}

/** The slots of an account in the middle of a block: those before it under what was written since. */
function* slotsUnder(
  overlay: Overlay,
  at: StateHeight,
  address: Address,
): Generator<readonly [Uint8Array, { readonly slot: Uint8Array; readonly value: Uint8Array }]> {
  const layer = overlay.changes().storage.get(bytesToKey(address))
  if (layer?.cleared !== true) {
    for (const [slot, value] of scanStorageAt(at, address)) {
      if (layer?.slots.has(bytesToKey(slot)) !== true) yield [slot, { slot: slot.slice(), value }]
    }
  }
  for (const [key, value] of layer?.slots ?? []) {
    const slot = keyToBytes(key)
    if (value.length > 0) yield [slot, { slot, value }]
  }
}

/** Prints a reference as Go prints rpc.BlockNumberOrHash. */
const goReference = (block: BlockReference): string => {
  if ('hash' in block) return `{<nil> ${block.hash} ${block.requireCanonical ?? false}}`
  return `{${'number' in block ? quantityToHex(block.number) : block.tag} <nil> false}`
}

/** The state before a transaction. Throws geth's errors, and query/9 where the state before the block is not kept. */
const replayTo = async (
  view: ChainView,
  { block, txIndex }: Questions['storageRange'],
  budget: TraceBudget,
): Promise<{ readonly overlay: Overlay; readonly parent: number }> => {
  if (isPending(block)) throw queryFailed('pending state is not available')
  if (isPrunedBlock(view, block)) throw prunedHistory()
  const height = resolveHeight(view, block)
  if (height === undefined) throw queryFailed(`block ${goReference(block)} not found`)
  if (height === view.parameters.initialHeight - 1) throw queryFailed('no transaction in genesis')
  if (height <= firstHeight(view)) requireKept(view.reader, height - 1)
  const { transactionCount, hash } = requireHeader(view, height)
  const replay = await BlockReplay.begin(view, height, budget)
  if (txIndex < 0 || txIndex >= Math.max(transactionCount, 1)) {
    throw queryFailed(`transaction index ${txIndex} out of range for block ${bytesToHex(hash)}`)
  }
  for (let index = 0; index < txIndex; index++) await replay.next()
  await replay.toEthereum()
  return { overlay: replay.run.overlay, parent: height - 1 }
}

/**
 * Geth 1.16.8 shows the storage before the block whatever the transaction, or fails where the block changed it; this is
 * what the method is for: the storage before the transaction.
 */
export const storageRange = async (view: ChainView, question: Questions['storageRange']): Promise<Json> => {
  const budget = timeOf(view)
  const { overlay, parent } = await replayTo(view, question, budget)
  const slots = slotsUnder(overlay, scannedState(view, parent), hexToBytes(question.address))
  const most = Math.max(0, Math.min(question.most, MAX_SLOTS))
  const { page, next, found } = firstByHash(slots, hexToBytes(question.start), most, budget)
  if (found === 0) return { storage: null, nextKey: null }
  const storage = page.map(({ hash, item: { slot, value } }): readonly [string, Json] => [
    bytesToHex(hash),
    { key: bytesToHex(slot), value: bytesToHex(padLeft(value, WORD_BYTES)) },
  ])
  return { storage: Object.fromEntries(storage), nextKey: next === undefined ? null : bytesToHex(next) }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const dumpStorage = (at: StateHeight, address: Address, budget: TraceBudget): Json => {
  const storage: Record<string, string> = {}
  for (const [slot, value] of scanStorageAt(at, address)) {
    budget.step()
    budget.takeBytes(SLOT_BYTES)
    storage[bytesToHex(slot)] = bytesToUnprefixedHex(value)
  }
  return Object.keys(storage).length === 0 ? {} : { storage }
}

/** The height of a block of debug_accountRange, in geth's words where there is none. */
const dumpedHeight = (view: ChainView, block: BlockReference): number => {
  if (isPending(block)) throw queryFailed('pending state is not available')
  if ('tag' in block && block.tag === 'earliest') throw queryFailed('block #-5 not found')
  if (isPrunedBlock(view, block)) throw prunedHistory()
  const height = resolveHeight(view, block)
  if (height !== undefined) return height
  throw queryFailed(`block ${'hash' in block ? block.hash : `#${'number' in block ? block.number : 0}`} not found`)
}

export const accountRange = (view: ChainView, question: Questions['accountRange']): Json => {
  const height = dumpedHeight(view, question.block)
  const [at, state, budget] = [scannedState(view, height), view.stateAt(height), timeOf(view)]
  const most = question.most > MAX_ACCOUNTS || question.most <= 0 ? MAX_ACCOUNTS : question.most
  const named = function* (): Generator<readonly [Uint8Array, readonly [Address, AccountState]]> {
    for (const [address, account] of scanAccountsAt(at)) yield [address, [address, account]]
  }
  const { page, next } = firstByHash(named(), hexToBytes(question.start), most, budget)
  const accounts = page.map(({ hash, item: [address, account] }): readonly [string, Json] => {
    budget.takeBytes(ACCOUNT_BYTES)
    const code = question.withCode && compareBytes(account.codeHash, EMPTY_CODE_HASH) !== 0
    return [
      checksumAddress(address),
      {
        balance: account.balance.toString(),
        nonce: Number(account.nonce),
        root: bytesToHex(account.storageRoot),
        codeHash: bytesToHex(account.codeHash),
        ...(code ? { code: bytesToHex(state.code(account.codeHash)) } : {}),
        ...(question.withStorage ? dumpStorage(at, address, budget) : {}),
        address: bytesToHex(address),
        key: bytesToHex(hash),
      },
    ]
  })
  return {
    root: bytesToUnprefixedHex(requireHeader(view, height).header.stateRoot),
    accounts: Object.fromEntries(accounts.sort(([a], [b]) => compareTexts(a, b))),
    ...(next === undefined ? {} : { next: bytesToBase64(next) }),
  }
}

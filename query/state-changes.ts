/** debug_getModifiedAccountsByNumber and ByHash, and debug_intermediateRoots: what blocks and transactions changed. */
import { compareBytes, equalBytes } from '../core/bytes.ts'
import { keccak256 } from '../core/hash.ts'
import { bytesToHex, type Hex } from '../core/hex.ts'
import { computeCommitment } from '../store/commitment.ts'
import { type StateHeight, scanAccountsAt } from '../store/scan-at.ts'
import type { AccountState } from '../store/state.ts'
import { prunedHistory, queryFailed } from '../app/errors.ts'
import type { BlockReference, Questions } from '../app/ports.ts'
import { chainOf } from './pending.ts'
import { scannedState, timeOf } from './state-ranges.ts'
import { BlockReplay } from './trace/block-replay.ts'
import type { TraceBudget } from './trace/budget.ts'
import { firstHeight, isPrunedBlock, requireHeader, requireKept, resolveHeight, type ChainView } from './chain-view.ts'

const same = (a: AccountState, b: AccountState): boolean =>
  a.nonce === b.nonce &&
  a.balance === b.balance &&
  equalBytes(a.storageRoot, b.storageRoot) &&
  equalBytes(a.codeHash, b.codeHash)

/** Addresses whose accounts are others in `after` than in `before`; those that are gone are none, as in geth. */
function* changedAccounts(before: StateHeight, after: StateHeight, budget: TraceBudget): Generator<Uint8Array> {
  const old = scanAccountsAt(before)
  try {
    let held = old.next()
    for (const [address, account] of scanAccountsAt(after)) {
      budget.step()
      while (held.done !== true && compareBytes(held.value[0], address) < 0) held = old.next()
      const known = held.done !== true && equalBytes(held.value[0], address) ? held.value[1] : undefined
      if (known === undefined || !same(known, account)) yield address
    }
  } finally {
    old.return()
  }
}

/** Prints numbers and hashes as geth does here: hexadecimal without 0x, but for the number of a last block. */
const printed = (block: BlockReference, isLast: boolean): string => {
  if ('hash' in block) return block.hash.slice(2)
  return 'number' in block ? block.number.toString(isLast ? 10 : 16) : block.tag
}

const heightOf = (view: ChainView, block: BlockReference, isLast: boolean): number => {
  if (isPrunedBlock(view, block)) throw prunedHistory()
  const height = resolveHeight(view, block)
  if (height === undefined) throw queryFailed(`${isLast ? 'end' : 'start'} block ${printed(block, isLast)} not found`)
  return height
}

/** The accounts in the order of the hashes of their addresses. */
export const modifiedAccounts = (
  view: ChainView,
  { first, last }: Questions['modifiedAccounts'],
): readonly Hex[] | null => {
  const given = heightOf(view, first, false)
  const from = last === undefined ? given - 1 : given
  const to = last === undefined ? given : heightOf(view, last, true)
  if (from < view.parameters.initialHeight - 1) throw queryFailed(`block ${given.toString(16)} has no parent`)
  if (from >= to) throw queryFailed(`start block height (${from}) must be less than end block height (${to})`)
  if (from < firstHeight(view)) throw prunedHistory()
  const changed = [...changedAccounts(scannedState(view, from), scannedState(view, to), timeOf(view))]
  if (changed.length === 0) return null
  return changed
    .map((address) => ({ address, hash: keccak256(address) }))
    .sort((a, b) => compareBytes(a.hash, b.hash))
    .map(({ address }) => bytesToHex(address))
}

/** The state root after each Ethereum transaction of a block, with what native ones between them did. */
export const intermediateRoots = async (
  view: ChainView,
  { hash }: Questions['intermediateRoots'],
): Promise<unknown> => {
  const height = resolveHeight(view, { hash })
  if (height === undefined) throw queryFailed(`block ${hash} not found`)
  if (height === view.parameters.initialHeight - 1) throw queryFailed('genesis is not traceable')
  if (height <= firstHeight(view)) requireKept(view.reader, height - 1)
  const budget = timeOf(view)
  const { store, trieNodes, state, head } = chainOf(view, height - 1)
  const replay = await BlockReplay.begin(view, height, budget)
  const roots: Hex[] = []
  const { transactionCount } = requireHeader(view, height)
  while (roots.length < transactionCount && (await replay.next()) !== undefined) {
    budget.checkTime()
    const { stateRoot } = computeCommitment(
      store,
      state,
      head.record.header.stateRoot,
      replay.run.overlay.changes(),
      trieNodes,
    )
    roots.push(bytesToHex(stateRoot))
  }
  return roots.length === 0 ? null : roots
}

/** Balances, nonces, code and storage at a height. */
import { type Address, moduleAddress } from '../core/address.ts'
import { EMPTY_BYTES, equalBytes, padLeft } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes, quantityToHex } from '../core/hex.ts'
import type { StateReader } from '../store/state.ts'
import { StateTrie } from '../store/state-trie.ts'
import type { TrieNodeReader } from '../store/trie/trie.ts'
import type { BlockReference, Questions } from '../app/ports.ts'
import { pendingState, pendingTrie } from './pending.ts'
import { isPending, requireHeader, requireHeight, type ChainView } from './chain-view.ts'

/** Reads at once where the block is committed; only `pending` has to execute something first. */
const read = <Value>(
  view: ChainView,
  block: BlockReference,
  reader: (state: StateReader) => Value,
): Value | Promise<Value> =>
  isPending(block)
    ? pendingState(view).then(({ state }) => reader(state))
    : reader(view.stateAt(requireHeight(view, block)))

export const balance = (view: ChainView, { address, block }: Questions['balance']): string | Promise<string> =>
  read(view, block, (state) => quantityToHex(state.account(hexToBytes(address))?.balance ?? 0n))

export const transactionCount = (
  view: ChainView,
  { address, block }: Questions['transactionCount'],
): string | Promise<string> =>
  read(view, block, (state) => quantityToHex(state.account(hexToBytes(address))?.nonce ?? 0n))

export const code = (view: ChainView, { address, block }: Questions['code']): Hex | Promise<Hex> =>
  read(view, block, (state) => {
    const account = state.account(hexToBytes(address))
    return bytesToHex(account === undefined ? EMPTY_BYTES : state.code(account.codeHash))
  })

/** The values of a module lie in the flat state by their keys, the hashes that its trie has of them nowhere else. */
const isModule = (view: ChainView, address: Address): boolean =>
  view.modules.some(({ name }) => equalBytes(moduleAddress(name), address))

interface Slot {
  readonly address: Address
  /** 32 bytes. */
  readonly slot: Uint8Array
}

const inTrie = (nodes: TrieNodeReader, root: Hash, { address, slot }: Slot): Hex =>
  bytesToHex(padLeft(new StateTrie(nodes, root).slot(address, slot), 32))

const inState = (state: StateReader, { address, slot }: Slot): Hex =>
  bytesToHex(padLeft(state.storage(address, slot), 32))

/** Reads the slot in the state of a committed height. */
export const storageAt = (view: ChainView, height: number, slot: Slot): Hex =>
  isModule(view, slot.address)
    ? inTrie(view.trieNodesAt(height), requireHeader(view, height).header.stateRoot, slot)
    : inState(view.stateAt(height), slot)

export const storage = (view: ChainView, { address, slot, block }: Questions['storage']): Hex | Promise<Hex> => {
  const wanted = { address: hexToBytes(address), slot: hexToBytes(slot) }
  if (!isPending(block)) return storageAt(view, requireHeight(view, block), wanted)
  if (!isModule(view, wanted.address)) return pendingState(view).then(({ state }) => inState(state, wanted))
  return pendingTrie(view).then(({ nodes, root }) => inTrie(nodes, root, wanted))
}

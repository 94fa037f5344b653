/** eth_getProof: an account and slots of it with their Merkle proofs, as geth gives them. */
import { bytesToHex, bytesToQuantity, hexToBytes, quantityToHex } from '../core/hex.ts'
import { ZERO_HASH } from '../core/hash.ts'
import { StateTrie } from '../store/state-trie.ts'
import { queryFailed } from '../app/errors.ts'
import type { Questions } from '../app/ports.ts'
import { pendingTrie } from './pending.ts'
import { isPending, requireHeader, requireHeight, type ChainView } from './chain-view.ts'
import type { Json } from './ethereum-json.ts'

const proofView = (view: ChainView, trie: StateTrie, { address: hex, slots }: Questions['proof']): Json => {
  const address = hexToBytes(hex)
  const { account, nodes } = trie.proveAccount(address)
  return {
    address: hex,
    accountProof: nodes.map(bytesToHex),
    balance: quantityToHex(account?.balance ?? 0n),
    codeHash: bytesToHex(account?.codeHash ?? ZERO_HASH),
    nonce: quantityToHex(account?.nonce ?? 0n),
    storageHash: bytesToHex(account?.storageRoot ?? ZERO_HASH),
    storageProof: slots.map(({ slot, shown }) => {
      view.interrupt()
      const proof = account && trie.proveSlot(address, account.storageRoot, hexToBytes(slot))
      const value = proof === undefined ? '0x0' : bytesToQuantity(proof.value)
      return { key: shown, value, proof: proof?.nodes.map(bytesToHex) ?? [] }
    }),
  }
}

/** The pending block has no proofs, as in geth: its trie is nowhere. */
const refusePending = async (view: ChainView): Promise<never> => {
  const root = bytesToHex((await pendingTrie(view)).root)
  throw queryFailed(`missing trie node ${root.slice(2)} (path ) state ${root} is not available`)
}

export const proof = (view: ChainView, parameters: Questions['proof']): Json | Promise<never> => {
  const { block } = parameters
  if (isPending(block)) return refusePending(view)
  const height = requireHeight(view, block)
  return proofView(
    view,
    new StateTrie(view.trieNodesAt(height), requireHeader(view, height).header.stateRoot),
    parameters,
  )
}

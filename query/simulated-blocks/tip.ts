/** The block that the next one of a simulation stands on, with its state and trie. Nothing of it is written. */
import type { Hash } from '../../core/hash.ts'
import { type Commitment, computeCommitment } from '../../store/commitment.ts'
import type { Overlay } from '../../store/overlay.ts'
import type { StateReader } from '../../store/state.ts'
import { LayeredNodes } from '../../store/trie/layered-nodes.ts'
import { encodeHeader, hashHeader, type Header } from '../../app/records/header.ts'
import { pendingCandidate } from '../pending.ts'
import type { BlockReference } from '../../app/ports.ts'
import { isPending, requireHeader, requireHeight, type ChainView } from '../chain-view.ts'

/** The accounts of a block with their new storage roots: so the block after it finds them in the trie. */
const settle = (state: Overlay, { accounts }: Commitment): void => {
  for (const { address, after } of accounts) state.setAccount(address, after)
}

/** Nothing of the database is looked at: the storage of an account that is replaced is only left out of its trie. */
const NOTHING = { scan: () => [], getMany: (_: unknown, keys: readonly Uint8Array[]) => keys.map(() => undefined) }

export class Tip {
  header: Header
  hash: Hash
  state: StateReader
  /** What the base fee after a simulated block follows (app/block/priced-gas.ts); undefined for one of the chain. */
  pricedGas: bigint | undefined
  readonly nodes: LayeredNodes

  constructor(header: Header, hash: Hash, state: StateReader, nodes: LayeredNodes) {
    this.header = header
    this.hash = hash
    this.state = state
    this.nodes = nodes
  }

  /** Computes the commitment to what was written over this block. */
  commitmentTo(state: Overlay): Commitment {
    return computeCommitment(NOTHING, this.state, this.header.stateRoot, state.changes(), this.nodes)
  }

  /** Moves on to a block whose state root is that of the commitment. */
  advance(header: Header, hash: Hash, state: Overlay, commitment: Commitment, pricedGas: bigint): void {
    settle(state, commitment)
    this.nodes.add(commitment.nodes)
    this.header = header
    this.hash = hash
    this.state = state
    this.pricedGas = pricedGas
  }
}

const pendingTip = async (view: ChainView): Promise<Tip> => {
  const { candidate, state } = await pendingCandidate(view)
  const { unsealedHeader: header, commitment } = candidate
  const nodes = new LayeredNodes(view.trieNodesAt(view.head))
  nodes.add(commitment.nodes)
  settle(state, commitment)
  return new Tip(header, hashHeader(encodeHeader(header)), state, nodes)
}

/** Throws query/1 when there is no such block, query/8 and query/9 when it or its state is pruned. */
export const tipAt = (view: ChainView, block: BlockReference): Tip | Promise<Tip> => {
  if (isPending(block)) return pendingTip(view)
  const height = requireHeight(view, block)
  const { header, hash } = requireHeader(view, height)
  return new Tip(header, hash, view.stateAt(height), new LayeredNodes(view.trieNodesAt(height)))
}

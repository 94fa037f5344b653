/** What the orders' door needs of the node around it. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import type { ListedId } from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'
import type { VotedChain } from '../attestations/chain.ts'
import type { ProposedBlock } from '../ports.ts'

/** The book of the committed head, as far as the door looks into it. */
export interface OrderBookReader {
  /** Market 0 is any. */
  hasOpenOrder(owner: Address, market: number): boolean
  /** Also of nonces that were used within the last 41 blocks only: older ones are out of time. */
  isNonceUsed(signer: Address, nonceMs: number): boolean
  openOrderCount(owner: Address): number
}

/** What signatures are bound to. */
export interface SignedChain {
  /** CometBFT's chain id. */
  readonly chainId: string
  readonly evmChainId: number
}

/** The committed head, as the door sees it. */
export interface OrdersHead {
  readonly chain: SignedChain
  readonly state: StateReader
  readonly books: OrderBookReader
  /** Height of the next block. */
  readonly height: number
  /** Time of the committed block, in whole ms. */
  readonly timeMs: number
}

/** What `plan` says of a block on top of the chain: the ids that it carries; undefined where the block is not `plan`'s. */
export type CarriedBy = (block: ProposedBlock, chain: VotedChain) => readonly ListedId[] | undefined

/** What a commit changes for the pool. */
export interface SettledBlock {
  readonly height: number
  /** CometBFT's. */
  readonly hash: Hash
  /** SHA-256 of the wire forms of its ClobTx. */
  readonly included: readonly Hash[]
  /** The carried ids as in the state after the block. */
  readonly carried: readonly ListedId[]
}

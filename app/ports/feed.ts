/** The feed of committed blocks: docs/adr/039. */
import type { Hex } from '../../core/hex.ts'
import type { Event } from '../../modules/module.ts'

/** A place in the feed: all blocks below `height` come before it, and so many transactions of that block. */
export interface FeedPlace {
  readonly height: number
  readonly transaction: number
}

export interface FeedLog {
  /** Index of the log in the block. */
  readonly index: number
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** What eth_getTransactionReceipt tells beside the block and the transaction; quantities are decimal digits. */
export interface FeedReceipt {
  /** Place in the Ethereum block, which other families have no part in. */
  readonly index: number
  readonly from: Hex
  readonly type: number
  readonly succeeded: boolean
  readonly cumulativeGasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: Hex | null
  readonly logs: readonly FeedLog[]
}

export interface FeedTransaction {
  /** Place among all transactions of the block, as CometBFT has it. */
  readonly index: number
  /** `ethereum`, `native`, `injected` or another of docs/adr/012. */
  readonly family: string
  /** keccak256 of an Ethereum transaction, SHA-256 of any other. */
  readonly hash: Hex
  /** Its wire form. */
  readonly raw: Hex
  /**
   * The members from here on are as CometBFT's `block_results` has them. `code` is 0 also for an Ethereum transaction
   * that failed.
   */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly data: Hex
  /** Decimal digits. */
  readonly gasWanted: string
  readonly gasUsed: string
  readonly events: readonly Event[]
  /** The receipt of a transaction in the Ethereum block. */
  readonly receipt?: FeedReceipt
}

/** A committed block with all that came of it, as JSON. Readers leave members alone that they do not know. */
export interface FeedBlock {
  readonly height: number
  /** Hash of the Ethereum block; also the app hash. */
  readonly hash: Hex
  /** Nanoseconds since 1970, decimal digits. */
  readonly timeNs: string
  /** CometBFT's address of the proposer. */
  readonly proposer: Hex
  /** The header as `newHeads` shows it. */
  readonly header: { readonly parentHash: Hex; readonly [name: string]: unknown }
  /** The events of the beginning and the end of the block: CometBFT's `finalize_block_events`. */
  readonly events: readonly Event[]
  /** ed25519 keys with their new power in decimal digits; 0 removes. In force two heights later. */
  readonly validatorUpdates: readonly { readonly publicKey: Hex; readonly power: string }[]
  /** How many transactions the whole block has. */
  readonly transactionCount: number
  /** All of them, unless this is the last block of a {@link FeedPage} that goes on within it. */
  readonly transactions: readonly FeedTransaction[]
}

export interface FeedPage {
  /** The newest block when the page was made. */
  readonly head: number
  /** The next transactions of the block in which the page before it ended. */
  readonly rest: { readonly hash: Hex; readonly transactions: readonly FeedTransaction[] } | null
  /** One behind the other without a gap; none at the head. */
  readonly blocks: readonly FeedBlock[]
  /** Where the next page begins. */
  readonly next: FeedPlace
}

/** Settings of one node. None of them but `skippedUpgrades` can change what a block does; consensus reads genesis only. */
import { ANAT_PER_GWEI, ANAT_PER_NAT } from '../core/amounts.ts'

export interface PoolSettings {
  /** A replacement must pay this many percent more. */
  readonly priceBumpPercent: number
  /** Most executable transactions of one account. */
  readonly accountSlots: number
  /** Most executable transactions in all. */
  readonly globalSlots: number
  /** Most transactions behind a gap of one account, and in all. */
  readonly accountQueue: number
  readonly globalQueue: number
  /** Bytes of all transactions together, with what their lists take in memory. */
  readonly maxBytes: number
  /** A transaction behind a gap is dropped after this long. */
  readonly lifetimeMs: number
}

/** Heights whose state stays readable. */
export interface PruningSettings {
  /** This many heights up to the head; 0 is all of them (an archive). */
  readonly keepRecent: number
  /** Keeps, of the heights before them, the multiples of this one; 0 is none. */
  readonly interval: number
}

export interface ApplicationSettings {
  /** Mempool rule on the effective price. */
  readonly minimumGasPriceAnat: bigint
  /**
   * PrepareProposal stops choosing after so much execution, or twice the time: a proposer's choice, never a rule of
   * validity.
   */
  readonly maxBlockMs: number
  /** Highest gas limit that the pool takes; 0 is that of a block. */
  readonly maxTransactionGas: bigint
  readonly pool: PoolSettings
  /** The gas cap of eth_call and eth_estimateGas. */
  readonly gasCap: bigint
  readonly evmTimeoutMs: number
  /** Most that eth_sendRawTransaction lets a transaction pay in fees; 0 is no cap. */
  readonly txFeeCapAnat: bigint
  readonly allowUnprotectedTransactions: boolean
  readonly feeHistoryCap: number
  readonly logsCap: number
  readonly blockRangeCap: number
  readonly filterTimeoutMs: number
  readonly maxFilters: number
  readonly pruning: PruningSettings
  /** Blocks older than this many heights need not be kept; 0 keeps all. */
  readonly minRetainBlocks: number
  /** Heights at which a planned upgrade is passed over: it changes blocks, and most validators must do the same. */
  readonly skippedUpgrades: readonly number[]
}

export const APPLICATION_DEFAULTS: ApplicationSettings = {
  minimumGasPriceAnat: 2n * ANAT_PER_GWEI,
  maxBlockMs: 500,
  maxTransactionGas: 0n,
  pool: {
    priceBumpPercent: 10,
    accountSlots: 10_000,
    globalSlots: 100_000,
    accountQueue: 1_024,
    globalQueue: 10_000,
    maxBytes: 256 * 1024 * 1024,
    lifetimeMs: 3 * 60 * 60 * 1000,
  },
  gasCap: 50_000_000n,
  evmTimeoutMs: 5_000,
  txFeeCapAnat: ANAT_PER_NAT,
  allowUnprotectedTransactions: false,
  feeHistoryCap: 1_024,
  logsCap: 10_000,
  blockRangeCap: 10_000,
  filterTimeoutMs: 5 * 60 * 1000,
  maxFilters: 10_000,
  pruning: { keepRecent: 0, interval: 0 },
  minRetainBlocks: 0,
  skippedUpgrades: [],
}

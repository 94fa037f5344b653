/** The limit of a block's weight, and what it may be. */
import { MAX_TRANSACTION_WEIGHT } from '../../core/limits.ts'

/** Room for the heaviest transaction, and below what validators wait for a proposal (3 s) with its spreading and votes. */
export const DEFAULT_MAX_BLOCK_WEIGHT = 1_800_000_000
const MOST = 10_000_000_000

/** Why a limit cannot be, or undefined. Every transaction that the gas limit of EIP-7825 allows fits into an empty block. */
export const maxBlockWeightFault = (weight: number): string | undefined =>
  Number.isSafeInteger(weight) && weight >= MAX_TRANSACTION_WEIGHT && weight <= MOST
    ? undefined
    : `max_block_weight must be between ${MAX_TRANSACTION_WEIGHT} and ${MOST} nanoseconds, not ${weight}`

/** Parameters of the bridge: defaults, and what each may be. */
import { DENOMINATION } from '../../core/amounts.ts'
import type { BridgeContract } from '../../core/bridge-event.ts'
import { isZeroBytes } from '../../core/bytes.ts'
import { isDenom } from '../../core/denom.ts'

export interface BridgeParams {
  /** Undefined: nothing is bridged. */
  readonly contract: BridgeContract | undefined
  readonly denom: string
  /** Both are over before an accepted event is credited. */
  readonly delayBlocks: number
  readonly delaySeconds: number
  /** Nothing is acknowledged, and nothing credited. */
  readonly isPaused: boolean
  readonly maxCreditsPerBlock: number
  /** Most that is ever minted of the denomination, in its smallest unit. */
  readonly mintLimit: bigint
  /** The most that is withdrawn on one day (UTC); with 0 nothing is. The contract has a limit of its own, which must not be lower. */
  readonly withdrawLimit: bigint
  readonly maxWithdrawalsPerBlock: number
  /** The least amount of a withdrawal: dust takes places in a block and in the tree from others. */
  readonly minWithdrawal: bigint
  /** Sets of signers follow one another no faster: somebody pays for each of them on the external chain. */
  readonly setIntervalBlocks: number
}

/** The most that a single event may bring: what is above is no deposit that anybody could have made. */
export const MAX_AMOUNT = 1n << 128n
const MAX_CREDITS_PER_BLOCK = 10
const MAX_WITHDRAWALS_PER_BLOCK = 100
/** About three years of one block a second. */
const MAX_DELAY_BLOCKS = 100_000_000
const MAX_DELAY_SECONDS = 100_000_000
/** Denominations that nobody else mints. */
const BRIDGED = /^bridge\/./

export const DEFAULT_PARAMS: BridgeParams = {
  contract: undefined,
  denom: DENOMINATION,
  delayBlocks: 86_400,
  delaySeconds: 60,
  isPaused: false,
  maxCreditsPerBlock: MAX_CREDITS_PER_BLOCK,
  mintLimit: 10n ** 27n,
  // Closed until governance knows the limit of the contract, and validators have keys.
  withdrawLimit: 0n,
  maxWithdrawalsPerBlock: 10,
  minWithdrawal: 1n,
  setIntervalBlocks: 14_400,
}

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most

const contractFault = ({ chainId, address }: BridgeContract): string | undefined => {
  if (chainId < 1n || chainId >= 1n << 64n) return 'chain_id must be between 1 and 18446744073709551615'
  return address.length !== 20 || isZeroBytes(address) ? 'contract must be an address other than zero' : undefined
}

const wayBackFault = (params: BridgeParams): string | undefined => {
  const { withdrawLimit, maxWithdrawalsPerBlock, minWithdrawal, setIntervalBlocks } = params
  if (withdrawLimit < 0n || withdrawLimit > MAX_AMOUNT) return `withdraw_limit must be between 0 and ${MAX_AMOUNT}`
  if (!isWithin(maxWithdrawalsPerBlock, 1, MAX_WITHDRAWALS_PER_BLOCK)) {
    return `max_withdrawals_per_block must be between 1 and ${MAX_WITHDRAWALS_PER_BLOCK}`
  }
  const mostOfOne = withdrawLimit === 0n ? MAX_AMOUNT : withdrawLimit
  if (minWithdrawal < 1n || minWithdrawal > mostOfOne) return `min_withdrawal must be between 1 and ${mostOfOne}`
  return isWithin(setIntervalBlocks, 1, MAX_DELAY_BLOCKS)
    ? undefined
    : `set_interval_blocks must be between 1 and ${MAX_DELAY_BLOCKS}`
}

/** What is wrong, in words, or undefined. */
export const paramsFault = (params: BridgeParams): string | undefined => {
  const { contract, denom, delayBlocks, delaySeconds, maxCreditsPerBlock, mintLimit } = params
  const fault = contract && contractFault(contract)
  if (fault !== undefined) return fault
  if (denom !== DENOMINATION && !(isDenom(denom) && BRIDGED.test(denom))) {
    return `denom must be ${DENOMINATION} or a denomination that begins with bridge/`
  }
  if (!isWithin(delayBlocks, 0, MAX_DELAY_BLOCKS)) return `delay_blocks must be at most ${MAX_DELAY_BLOCKS}`
  if (!isWithin(delaySeconds, 0, MAX_DELAY_SECONDS)) return `delay_seconds must be at most ${MAX_DELAY_SECONDS}`
  if (!isWithin(maxCreditsPerBlock, 1, MAX_CREDITS_PER_BLOCK)) {
    return `max_credits_per_block must be between 1 and ${MAX_CREDITS_PER_BLOCK}`
  }
  if (mintLimit < 0n || mintLimit > MAX_AMOUNT) return `mint_limit must be between 0 and ${MAX_AMOUNT}`
  return wayBackFault(params)
}

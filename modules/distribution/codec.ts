/** The values of distribution's store as bytes. */
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import type { Decimal } from '../../core/decimal.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp, type RlpInput, type RlpItem } from '../../core/rlp.ts'
import type { DecCoins } from './dec-coins.ts'
import type { DistributionParams } from './params.ts'

/** The SDK keeps its four parts under keys of their own; they change together. */
export interface ValidatorRewards {
  /** The running one. */
  readonly period: number
  /** The rewards of the running period, for the delegators. */
  readonly current: DecCoins
  readonly commission: DecCoins
  /** All that is owed to delegators and operator. */
  readonly outstanding: DecCoins
  /** The period that the last slash ended; 0 for one that was never slashed. */
  readonly lastSlash: number
}

/** Each knows the one before it: a withdrawal goes back through those that it needs, without a scan. */
export interface SlashEvent {
  readonly height: number
  readonly fraction: Decimal
  /** The period that the slash before this one ended; 0 for the first. */
  readonly previous: number
}

export interface HistoricalRewards {
  /** Rewards of one token from the validator's beginning to the end of the period. */
  readonly ratio: DecCoins
  /** Delegations that began after it, slashes that ended it, and the running period's one. */
  readonly references: number
}

export interface StartingInfo {
  readonly previousPeriod: number
  readonly stake: Decimal
  readonly height: number
}

export interface Totals {
  /** Rewards of one unit of voting power since the chain began, in anat. */
  readonly accumulator: Decimal
  /** What community pool, outstanding and unsettled rewards are together: the rest of the balance is surplus. */
  readonly heldAnat: bigint
}

const CORRUPT = 'a value of distribution is malformed'

const bytesAt = (list: readonly RlpItem[], index: number): Uint8Array => {
  const item = list[index]
  invariant(item instanceof Uint8Array, CORRUPT)
  return item
}
const bigintAt = (list: readonly RlpItem[], index: number): bigint => bytesToBigint(bytesAt(list, index))
const numberAt = (list: readonly RlpItem[], index: number): number => Number(bigintAt(list, index))
const listOf = (item: RlpItem | undefined): readonly RlpItem[] => {
  invariant(Array.isArray(item), CORRUPT)
  return item
}

const fromNumber = (value: number): Uint8Array => bigintToBytes(BigInt(value))
const fromCoins = (coins: DecCoins): RlpInput =>
  coins.map(({ denom, amount }) => [utf8ToBytes(denom), bigintToBytes(amount)])
const coinsAt = (list: readonly RlpItem[], index: number): DecCoins =>
  listOf(list[index]).map((item) => {
    const coin = listOf(item)
    return { denom: bytesToUtf8(bytesAt(coin, 0)), amount: bigintAt(coin, 1) }
  })

export const encodeParams = ({ communityTax, withdrawAddrEnabled }: DistributionParams): Uint8Array =>
  encodeRlp([bigintToBytes(communityTax), fromNumber(withdrawAddrEnabled ? 1 : 0)])

export const decodeParams = (bytes: Uint8Array): DistributionParams => {
  const list = listOf(decodeRlp(bytes))
  return { communityTax: bigintAt(list, 0), withdrawAddrEnabled: bigintAt(list, 1) === 1n }
}

export const encodeTotals = ({ accumulator, heldAnat }: Totals): Uint8Array =>
  encodeRlp([bigintToBytes(accumulator), bigintToBytes(heldAnat)])

export const decodeTotals = (bytes: Uint8Array): Totals => {
  const list = listOf(decodeRlp(bytes))
  return { accumulator: bigintAt(list, 0), heldAnat: bigintAt(list, 1) }
}

export const encodeValidator = (rewards: ValidatorRewards): Uint8Array =>
  encodeRlp([
    fromNumber(rewards.period),
    fromCoins(rewards.current),
    fromCoins(rewards.commission),
    fromCoins(rewards.outstanding),
    fromNumber(rewards.lastSlash),
  ])

export const decodeValidator = (bytes: Uint8Array): ValidatorRewards => {
  const list = listOf(decodeRlp(bytes))
  return {
    period: numberAt(list, 0),
    current: coinsAt(list, 1),
    commission: coinsAt(list, 2),
    outstanding: coinsAt(list, 3),
    lastSlash: numberAt(list, 4),
  }
}

export const encodeHistorical = ({ ratio, references }: HistoricalRewards): Uint8Array =>
  encodeRlp([fromNumber(references), fromCoins(ratio)])

export const decodeHistorical = (bytes: Uint8Array): HistoricalRewards => {
  const list = listOf(decodeRlp(bytes))
  return { references: numberAt(list, 0), ratio: coinsAt(list, 1) }
}

export const encodeSlash = ({ height, fraction, previous }: SlashEvent): Uint8Array =>
  encodeRlp([fromNumber(height), bigintToBytes(fraction), fromNumber(previous)])

export const decodeSlash = (bytes: Uint8Array): SlashEvent => {
  const list = listOf(decodeRlp(bytes))
  return { height: numberAt(list, 0), fraction: bigintAt(list, 1), previous: numberAt(list, 2) }
}

export const encodeStart = ({ previousPeriod, stake, height }: StartingInfo): Uint8Array =>
  encodeRlp([fromNumber(previousPeriod), bigintToBytes(stake), fromNumber(height)])

export const decodeStart = (bytes: Uint8Array): StartingInfo => {
  const list = listOf(decodeRlp(bytes))
  return { previousPeriod: numberAt(list, 0), stake: bigintAt(list, 1), height: numberAt(list, 2) }
}

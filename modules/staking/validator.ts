/** A validator: its record, and the arithmetic between tokens and shares. */
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import type { Address } from '../../core/address.ts'
import { type Decimal, divide, toDecimal, truncate } from '../../core/decimal.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { sdkError } from '../sdk-errors.ts'
import { POWER_REDUCTION, type ValidatorView } from '../stake.ts'
import { consensusAddressOf } from '../validator-addresses.ts'
import type { Description } from './description.ts'
import { stakingError } from './errors.ts'

export interface Validator extends ValidatorView {
  readonly description: Description
  readonly maxCommissionRate: Decimal
  /** Most that the rate may rise in a day. */
  readonly maxCommissionChangeRate: Decimal
  /** When the rate was set. */
  readonly commissionTimeNs: bigint
  /** Height of the last time that it left the bonded ones; 0 before. */
  readonly unbondingHeight: number
  readonly unbondingTimeNs: bigint
  /** The ids of the unbonding that runs, if one does. */
  readonly unbondingIds: readonly number[]
}

const STATUSES = ['unbonded', 'unbonding', 'bonded'] as const
/** The SDK's bound of a decimal in bits: a validator that was slashed to dust would issue more and more shares. */
const MAX_SHARES: Decimal = 1n << 315n

/** Whole units of voting power. */
export const powerOf = ({ tokens }: Pick<Validator, 'tokens'>): bigint => tokens / POWER_REDUCTION

/** All tokens are lost, and shares remain: what a delegation would be worth is not defined. */
export const hasInvalidRate = ({ tokens, shares }: Validator): boolean => tokens === 0n && shares > 0n

/** What shares are worth, rounded half to even at the 18th place: 0 where there are none. */
export const tokensFromShares = ({ tokens, shares: all }: ValidatorView, shares: Decimal): Decimal =>
  all === 0n ? 0n : divide(shares * tokens, all)

/** Shares that an amount is worth; truncates. Throws staking/22 for a validator without tokens. */
export const sharesFromTokens = ({ tokens, shares }: ValidatorView, amount: bigint): Decimal => {
  if (tokens === 0n) throw stakingError('insufficientShares')
  return (shares * amount) / tokens
}

/** The first delegation sets the rate to one share a token. */
export const addTokens = (validator: Validator, amount: bigint): readonly [Validator, issued: Decimal] => {
  const issued = validator.shares === 0n ? toDecimal(amount) : sharesFromTokens(validator, amount)
  const shares = validator.shares + issued
  if (shares > MAX_SHARES) throw sdkError('invalidRequest', 'the shares of the validator would pass 2^315')
  return [{ ...validator, tokens: validator.tokens + amount, shares }, issued]
}

/**
 * Takes shares out. Tokens are truncated: what is cut off stays with the validator, so with those who remain; the last
 * shares take every token.
 */
export const removeShares = (validator: Validator, shares: Decimal): readonly [Validator, amount: bigint] => {
  const left = validator.shares - shares
  invariant(left >= 0n, 'more shares are removed than the validator has')
  const amount = left === 0n ? validator.tokens : truncate(tokensFromShares(validator, shares))
  invariant(amount <= validator.tokens, 'more tokens are removed than the validator has')
  return [{ ...validator, tokens: validator.tokens - amount, shares: left }, amount]
}

/** RLP of every member but the operator, which is the key, and the consensus address, which follows from the key. */
export const encodeValidator = (validator: Validator): Uint8Array => {
  const { description } = validator
  return encodeRlp([
    validator.publicKey,
    bigintToBytes(BigInt(STATUSES.indexOf(validator.status))),
    bigintToBytes(validator.isJailed ? 1n : 0n),
    bigintToBytes(validator.tokens),
    bigintToBytes(validator.shares),
    bigintToBytes(validator.minSelfDelegation),
    [validator.commissionRate, validator.maxCommissionRate, validator.maxCommissionChangeRate].map(bigintToBytes),
    bigintToBytes(validator.commissionTimeNs),
    bigintToBytes(BigInt(validator.unbondingHeight)),
    bigintToBytes(validator.unbondingTimeNs),
    validator.unbondingIds.map((id) => bigintToBytes(BigInt(id))),
    [
      description.moniker,
      description.identity,
      description.website,
      description.securityContact,
      description.details,
    ].map(utf8ToBytes),
  ])
}

type Five = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
type Record = readonly [
  publicKey: Uint8Array,
  status: Uint8Array,
  isJailed: Uint8Array,
  tokens: Uint8Array,
  shares: Uint8Array,
  minSelfDelegation: Uint8Array,
  rates: readonly [Uint8Array, Uint8Array, Uint8Array],
  commissionTime: Uint8Array,
  unbondingHeight: Uint8Array,
  unbondingTime: Uint8Array,
  unbondingIds: readonly Uint8Array[],
  description: Five,
]

export const decodeValidator = (operator: Address, value: Uint8Array): Validator => {
  const [key, status, jailed, tokens, shares, minimum, rates, rateTime, height, time, ids, texts] = decodeRlp(
    value,
  ) as unknown as Record
  const [moniker, identity, website, securityContact, details] = texts
  const publicKey = key.slice()
  const statusName = STATUSES[Number(bytesToBigint(status))]
  invariant(statusName !== undefined, 'a validator has an unknown status')
  return {
    operator,
    consensusAddress: consensusAddressOf(publicKey),
    publicKey,
    status: statusName,
    isJailed: jailed.length > 0,
    tokens: bytesToBigint(tokens),
    shares: bytesToBigint(shares),
    minSelfDelegation: bytesToBigint(minimum),
    commissionRate: bytesToBigint(rates[0]),
    maxCommissionRate: bytesToBigint(rates[1]),
    maxCommissionChangeRate: bytesToBigint(rates[2]),
    commissionTimeNs: bytesToBigint(rateTime),
    unbondingHeight: Number(bytesToBigint(height)),
    unbondingTimeNs: bytesToBigint(time),
    unbondingIds: ids.map((id) => Number(bytesToBigint(id))),
    description: {
      moniker: bytesToUtf8(moniker),
      identity: bytesToUtf8(identity),
      website: bytesToUtf8(website),
      securityContact: bytesToUtf8(securityContact),
      details: bytesToUtf8(details),
    },
  }
}

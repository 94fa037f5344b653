/** The only code that touches distribution's keys. */
import { type Address, ADDRESS_LENGTH, moduleAddress } from '../../core/address.ts'
import {
  bigintToBytes,
  bytesToBigint,
  bytesToUtf8,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  readUint64,
} from '../../core/bytes.ts'
import type { Decimal } from '../../core/decimal.ts'
import { invariant } from '../../core/errors.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import {
  decodeHistorical,
  decodeParams,
  decodeSlash,
  decodeStart,
  decodeTotals,
  decodeValidator,
  encodeHistorical,
  encodeParams,
  encodeSlash,
  encodeStart,
  encodeTotals,
  encodeValidator,
  type HistoricalRewards,
  type SlashEvent,
  type StartingInfo,
  type Totals,
  type ValidatorRewards,
} from './codec.ts'
import type { DecCoin, DecCoins } from './dec-coins.ts'
import * as keys from './keys.ts'
import type { DistributionParams } from './params.ts'

/** Its balance is what community pool, delegators and operators are owed. */
export const DISTRIBUTION_ADDRESS = moduleAddress('distribution')

/** Entries read at once. */
const CHUNK = 500

const read = (state: StateReader, key: Uint8Array): Uint8Array | undefined => state.value(DISTRIBUTION_ADDRESS, key)
const write = (state: StateWriter, key: Uint8Array, value: Uint8Array | undefined): void =>
  state.setValue(DISTRIBUTION_ADDRESS, key, value)

/** Keys without their prefixes, with their values, in order. */
export function* scan(
  state: StateReader,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<readonly [key: Uint8Array, value: Uint8Array]> {
  for (let next = start; ; ) {
    const page = state.values(DISTRIBUTION_ADDRESS, prefix, CHUNK, next)
    for (const [key, value] of page) yield [key.slice(prefix.length), value]
    const last = page.at(-1)?.[0]
    if (last === undefined || page.length < CHUNK) return
    next = concatBytes(last, Uint8Array.of(0))
  }
}

export const readParams = (state: StateReader): DistributionParams => {
  const value = read(state, keys.PARAMS_KEY)
  invariant(value !== undefined, 'distribution has no parameters: the state has no genesis')
  return decodeParams(value)
}
export const writeParams = (state: StateWriter, params: DistributionParams): void =>
  write(state, keys.PARAMS_KEY, encodeParams(params))

export const readTotals = (state: StateReader): Totals => {
  const value = read(state, keys.TOTALS_KEY)
  return value === undefined ? { accumulator: 0n, heldAnat: 0n } : decodeTotals(value)
}
export const writeTotals = (state: StateWriter, totals: Totals): void => {
  invariant(totals.heldAnat >= 0n, 'distribution would hold less than nothing')
  write(state, keys.TOTALS_KEY, totals.accumulator + totals.heldAnat === 0n ? undefined : encodeTotals(totals))
}

export const readVoters = (state: StateReader): Uint8Array => read(state, keys.VOTERS_KEY) ?? EMPTY_BYTES
export const writeVoters = (state: StateWriter, voters: Uint8Array): void => {
  if (!equalBytes(readVoters(state), voters)) {
    write(state, keys.VOTERS_KEY, voters.length === 0 ? undefined : voters)
  }
}

export const readCheckpoint = (state: StateReader, consensusAddress: Uint8Array): Decimal => {
  const value = read(state, keys.checkpointKey(consensusAddress))
  return value === undefined ? 0n : bytesToBigint(value)
}
export const writeCheckpoint = (state: StateWriter, consensusAddress: Uint8Array, checkpoint: Decimal): void =>
  write(state, keys.checkpointKey(consensusAddress), checkpoint === 0n ? undefined : bigintToBytes(checkpoint))

export const readPool = (state: StateReader, denom: string): Decimal => {
  const value = read(state, keys.poolKey(denom))
  return value === undefined ? 0n : bytesToBigint(value)
}
export const writePool = (state: StateWriter, { denom, amount }: DecCoin): void => {
  invariant(amount >= 0n, 'the community pool would be negative')
  write(state, keys.poolKey(denom), amount === 0n ? undefined : bigintToBytes(amount))
}
export const addToPool = (state: StateWriter, coins: DecCoins): void => {
  for (const { denom, amount } of coins) {
    if (amount > 0n) writePool(state, { denom, amount: readPool(state, denom) + amount })
  }
}
export function* readPools(state: StateReader): Generator<DecCoin> {
  for (const [key, value] of scan(state, keys.POOL_PREFIX)) {
    yield { denom: bytesToUtf8(key), amount: bytesToBigint(value) }
  }
}

export const readWithdrawAddress = (state: StateReader, delegator: Address): Address =>
  read(state, keys.withdrawAddressKey(delegator)) ?? delegator
export const writeWithdrawAddress = (state: StateWriter, delegator: Address, address: Address): void =>
  write(state, keys.withdrawAddressKey(delegator), equalBytes(delegator, address) ? undefined : address)

export const findValidator = (state: StateReader, operator: Address): ValidatorRewards | undefined => {
  const value = read(state, keys.validatorKey(operator))
  return value === undefined ? undefined : decodeValidator(value)
}
/** Reads a validator that staking has: its hooks made the record. */
export const readValidator = (state: StateReader, operator: Address): ValidatorRewards => {
  const rewards = findValidator(state, operator)
  invariant(rewards !== undefined, 'a validator has no record of rewards')
  return rewards
}
export const writeValidator = (state: StateWriter, operator: Address, rewards: ValidatorRewards): void =>
  write(state, keys.validatorKey(operator), encodeValidator(rewards))

export const findHistorical = (
  state: StateReader,
  operator: Address,
  period: number,
): HistoricalRewards | undefined => {
  const value = read(state, keys.historicalKey(operator, period))
  return value === undefined ? undefined : decodeHistorical(value)
}
export const readHistorical = (state: StateReader, operator: Address, period: number): HistoricalRewards => {
  const rewards = findHistorical(state, operator, period)
  invariant(rewards !== undefined, `a validator has no rewards of period ${period}`)
  return rewards
}
/** A period that nothing refers to is forgotten. */
export const writeHistorical = (
  state: StateWriter,
  operator: Address,
  period: number,
  rewards: HistoricalRewards,
): void => {
  // The running period, and either one delegation or one slash: each of these ends a period.
  invariant(rewards.references >= 0 && rewards.references <= 2, 'a period of rewards has a wrong count of references')
  write(state, keys.historicalKey(operator, period), rewards.references === 0 ? undefined : encodeHistorical(rewards))
}
export const addReference = (state: StateWriter, operator: Address, period: number, change: 1 | -1): void => {
  const rewards = readHistorical(state, operator, period)
  writeHistorical(state, operator, period, { ...rewards, references: rewards.references + change })
}

export const findStart = (state: StateReader, operator: Address, delegator: Address): StartingInfo | undefined => {
  const value = read(state, keys.startKey(operator, delegator))
  return value === undefined ? undefined : decodeStart(value)
}
export const writeStart = (
  state: StateWriter,
  operator: Address,
  delegator: Address,
  start: StartingInfo | undefined,
): void => write(state, keys.startKey(operator, delegator), start === undefined ? undefined : encodeStart(start))

export const readSlash = (state: StateReader, operator: Address, period: number): SlashEvent => {
  const value = read(state, keys.slashKey(operator, period))
  invariant(value !== undefined, `a validator has no slash that ended period ${period}`)
  return decodeSlash(value)
}
export const writeSlash = (state: StateWriter, operator: Address, period: number, slash: SlashEvent): void =>
  write(state, keys.slashKey(operator, period), encodeSlash(slash))
/** Reads slashes in the order of periods, from one (inclusive) on: for queries. */
export function* readSlashes(
  state: StateReader,
  operator: Address,
  fromPeriod = 0,
): Generator<SlashEvent & { readonly period: number }> {
  for (const [key, value] of scan(state, keys.slashesPrefix(operator), keys.slashKey(operator, fromPeriod))) {
    yield { ...decodeSlash(value), period: readUint64(key) }
  }
}

/**
 * Deletes the records of a validator that is gone. Without delegations only its slashes refer to periods, and the last
 * period to itself.
 */
export const deleteValidator = (
  state: StateWriter,
  operator: Address,
  { period, lastSlash }: ValidatorRewards,
): void => {
  write(state, keys.validatorKey(operator), undefined)
  write(state, keys.historicalKey(operator, period - 1), undefined)
  for (let slash = lastSlash; slash > 0; ) {
    const { previous } = readSlash(state, operator, slash)
    write(state, keys.historicalKey(operator, slash), undefined)
    write(state, keys.slashKey(operator, slash), undefined)
    slash = previous
  }
}

/** The address at the beginning of a key, and the rest of it. */
export const splitKey = (key: Uint8Array): readonly [Address, Uint8Array] => [
  key.slice(0, ADDRESS_LENGTH),
  key.slice(ADDRESS_LENGTH),
]

/** Redelegations: stake that moved to another validator, and still pays for what the first did. */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, concatBytes, equalBytes } from '../../../core/bytes.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import { ZERO_TIME_NS } from '../../../core/time.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ModuleContext } from '../../module.ts'
import { delegate, unbond } from './delegations.ts'
import type { StakingPorts } from '../deps.ts'
import { stakingError } from '../errors.ts'
import { completeRedelegation } from '../events.ts'
import {
  addressAt,
  PRESENT,
  queueKey,
  receivingKey,
  REDELEGATION_PREFIX,
  REDELEGATION_QUEUE_PREFIX,
  redelegationFromKey,
  redelegationKey,
  redelegationSinceKey,
  redelegationsFromPrefix,
  redelegationsPrefix,
  redelegationsSincePrefix,
  STAKING_ADDRESS,
} from '../keys.ts'
import { followNewest, readAll, readSince } from './scan.ts'
import { readStakingParams } from './params.ts'
import { poolOf } from './pools.ts'
import { nextUnbondingId, readMature } from './queue.ts'
import { requireSettled } from './slash-tasks.ts'
import { readValidator } from './validators.ts'

export interface RedelegationEntry {
  readonly creationHeight: number
  readonly completionTimeNs: bigint
  readonly initialBalance: bigint
  /** Issued by the destination. */
  readonly sharesDestination: Decimal
  readonly id: number
  /** The last task of a slash that it paid for (slash-tasks.ts). */
  readonly paidFor?: number
}

export interface Trio {
  readonly delegator: Address
  readonly source: Address
  readonly destination: Address
}

export interface Redelegation extends Trio {
  readonly entries: readonly RedelegationEntry[]
}

const encodeEntries = (entries: readonly RedelegationEntry[]): Uint8Array =>
  encodeRlp(
    entries.map(({ creationHeight, completionTimeNs, initialBalance, sharesDestination, id, paidFor }) =>
      [BigInt(creationHeight), completionTimeNs, initialBalance, sharesDestination, BigInt(id)]
        .concat(paidFor === undefined ? [] : [BigInt(paidFor)])
        .map(bigintToBytes),
    ),
  )

type Fields = [bigint, bigint, bigint, bigint, bigint, bigint?]

const decodeEntries = (value: Uint8Array): readonly RedelegationEntry[] =>
  (decodeRlp(value) as Uint8Array[][]).map((fields) => {
    const [height, completionTimeNs, initialBalance, sharesDestination, id, paidFor] = fields.map(
      bytesToBigint,
    ) as Fields
    const entry = {
      creationHeight: Number(height),
      completionTimeNs,
      initialBalance,
      sharesDestination,
      id: Number(id),
    }
    return paidFor === undefined ? entry : { ...entry, paidFor: Number(paidFor) }
  })

const keyOf = ({ delegator, source, destination }: Trio): Uint8Array => redelegationKey(delegator, source, destination)

const NONE: readonly RedelegationEntry[] = []

/** Empty when there is none. */
export const readRedelegationEntries = (state: StateReader, trio: Trio): readonly RedelegationEntry[] => {
  const value = state.value(STAKING_ADDRESS, keyOf(trio))
  return value === undefined ? NONE : decodeEntries(value)
}

/** How many redelegations of the delegator to a validator have not matured: while any, its stake there cannot move on. */
const readReceiving = (state: StateReader, delegator: Address, destination: Address): bigint => {
  const value = state.value(STAKING_ADDRESS, receivingKey(delegator, destination))
  return value === undefined ? 0n : bytesToBigint(value)
}

const changeReceiving = (state: StateWriter, { delegator, destination }: Trio, change: bigint): void => {
  const count = readReceiving(state, delegator, destination) + change
  const value = count === 0n ? undefined : bigintToBytes(count)
  state.setValue(STAKING_ADDRESS, receivingKey(delegator, destination), value)
}

/**
 * Writes a redelegation without its queue: the caller knows which entries are new or gone. Without entries the record
 * goes.
 */
export const writeRedelegation = (state: StateWriter, { entries, ...trio }: Redelegation): void => {
  const before = readRedelegationEntries(state, trio)
  const [existed, exists] = [before.length > 0, entries.length > 0]
  const keyAt = (height: number): Uint8Array =>
    redelegationSinceKey(trio.source, height, trio.delegator, trio.destination)
  followNewest(state, keyAt, before, entries)
  state.setValue(STAKING_ADDRESS, keyOf(trio), exists ? encodeEntries(entries) : undefined)
  if (existed === exists) return
  const index = redelegationFromKey(trio.source, trio.delegator, trio.destination)
  state.setValue(STAKING_ADDRESS, index, exists ? PRESENT : undefined)
  changeReceiving(state, trio, exists ? 1n : -1n)
}

export const enqueueRedelegation = (
  state: StateWriter,
  { delegator, source, destination }: Trio,
  { completionTimeNs, id }: RedelegationEntry,
): void =>
  state.setValue(
    STAKING_ADDRESS,
    queueKey(REDELEGATION_QUEUE_PREFIX, completionTimeNs, id),
    concatBytes(delegator, source, destination),
  )

function* decodeAll(entries: Iterable<readonly [Uint8Array, Uint8Array]>): Generator<Redelegation, void> {
  for (const [key, value] of entries) {
    const [delegator, source, destination] = [addressAt(key, 1), addressAt(key, 1, 1), addressAt(key, 1, 2)]
    yield { delegator, source, destination, entries: decodeEntries(value) }
  }
}

/** Reads redelegations in the order of delegators, sources, destinations. */
export const readAllRedelegations = (state: StateReader): Iterable<Redelegation> =>
  decodeAll(readAll(state, REDELEGATION_PREFIX))

/** The place of a redelegation among those of its delegator, or of its source: the two addresses that are not given. */
export const readRedelegationsOf = (
  state: StateReader,
  delegator: Address,
  start?: Uint8Array,
): Iterable<Redelegation> => {
  const prefix = redelegationsPrefix(delegator)
  return decodeAll(readAll(state, prefix, start === undefined ? undefined : concatBytes(prefix, start)))
}

/** Reads the redelegations from one validator in the order of delegators, then of destinations. */
export function* readRedelegationsFrom(
  state: StateReader,
  source: Address,
  start?: Uint8Array,
): Generator<Redelegation, void> {
  const prefix = redelegationsFromPrefix(source)
  for (const [key] of readAll(state, prefix, start === undefined ? undefined : concatBytes(prefix, start))) {
    const trio = { delegator: addressAt(key, 1, 1), source, destination: addressAt(key, 1, 2) }
    yield { ...trio, entries: readRedelegationEntries(state, trio) }
  }
}

/**
 * Reads the redelegations from one validator in the order of delegators, then of destinations: those with an entry of
 * that height or a later one.
 */
export const readRedelegationsSince = (state: StateReader, source: Address, height: number): readonly Redelegation[] =>
  readSince(state, redelegationsSincePrefix(source), height).map((parts) => {
    const trio = { delegator: addressAt(parts, 0), source, destination: addressAt(parts, 0, 1) }
    return { ...trio, entries: readRedelegationEntries(state, trio) }
  })

/** When a redelegation from this validator is over, and from which height on its faults count; undefined: at once. */
const beginInfo = (
  { state, timeNs, height }: ModuleContext,
  source: Address,
  unbondingTimeNs: bigint,
): { readonly completionTimeNs: bigint; readonly creationHeight: number } | undefined => {
  const validator = readValidator(state, source)
  // It is gone when it was unbonded, and this took its last shares.
  if (validator === undefined || validator.status === 'unbonded') return undefined
  if (validator.status === 'bonded') return { completionTimeNs: timeNs + unbondingTimeNs, creationHeight: height }
  return { completionTimeNs: validator.unbondingTimeNs, creationHeight: validator.unbondingHeight }
}

/** Returns when it is complete. Throws staking/29, 31, 44, 101, 32, 33, 30 and as `unbond` and `delegate` do. */
export const redelegate = (
  ports: StakingPorts,
  context: ModuleContext,
  trio: Trio,
  shares: Decimal,
): { readonly completionTimeNs: bigint } => {
  const { state } = context
  const { delegator, source, destination } = trio
  if (equalBytes(source, destination)) throw stakingError('selfRedelegation')
  const to = readValidator(state, destination)
  if (to === undefined) throw stakingError('noDestination')
  const from = readValidator(state, source)
  if (from === undefined) throw stakingError('noSource')
  for (const operator of [source, destination]) requireSettled(state, operator)
  if (readReceiving(state, delegator, source) > 0n) throw stakingError('transitiveRedelegation')
  const { maxEntries, unbondingTimeNs } = readStakingParams(state)
  if (readRedelegationEntries(state, trio).length >= maxEntries) throw stakingError('tooManyRedelegations')
  const amount = unbond(ports, context, delegator, source, shares)
  if (amount === 0n) throw stakingError('tinyRedelegation')
  const sharesDestination = delegate(ports, context, delegator, to, amount, poolOf(from))
  const begin = beginInfo(context, source, unbondingTimeNs)
  if (begin === undefined) return { completionTimeNs: ZERO_TIME_NS }
  const entry = { ...begin, initialBalance: amount, sharesDestination, id: nextUnbondingId(state) }
  writeRedelegation(state, { ...trio, entries: [...readRedelegationEntries(state, trio), entry] })
  enqueueRedelegation(state, trio, entry)
  return { completionTimeNs: entry.completionTimeNs }
}

/** Forgets every mature entry of a trio; returns the sum that moved, or undefined when none is mature. */
const complete = ({ state, timeNs }: ModuleContext, trio: Trio): bigint | undefined => {
  const entries = readRedelegationEntries(state, trio)
  const mature = entries.filter(({ completionTimeNs }) => completionTimeNs <= timeNs)
  if (mature.length === 0) return undefined
  for (const { completionTimeNs, id } of mature) {
    state.setValue(STAKING_ADDRESS, queueKey(REDELEGATION_QUEUE_PREFIX, completionTimeNs, id), undefined)
  }
  writeRedelegation(state, {
    ...trio,
    entries: entries.filter(({ completionTimeNs }) => completionTimeNs > timeNs),
  })
  return mature.reduce((sum, { initialBalance }) => sum + initialBalance, 0n)
}

/** Forgets what is due, at most `most` entries of the queue. `settle` takes first what a slash still has to take of it. */
export const completeMatureRedelegations = (
  context: ModuleContext,
  most: number,
  settle: (trio: Trio) => void,
): void => {
  const mature = readMature(context.state, REDELEGATION_QUEUE_PREFIX, context.timeNs, most)
  if (mature.length === 0) return
  const { bondDenomination } = readStakingParams(context.state)
  for (const [, value] of mature) {
    const trio = { delegator: addressAt(value, 0), source: addressAt(value, 0, 1), destination: addressAt(value, 0, 2) }
    settle(trio)
    const amount = complete(context, trio)
    if (amount !== undefined) context.emit(completeRedelegation(amount, bondDenomination, trio))
  }
}

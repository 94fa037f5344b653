/** Unbonding delegations: tokens on their way out, that can still be slashed or taken back. */
import type { Address } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../core/bytes.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ModuleContext } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { formatOperator } from '../../validator-addresses.ts'
import { delegate, unbond } from './delegations.ts'
import type { StakingPorts } from '../deps.ts'
import { stakingError } from '../errors.ts'
import { completeUnbonding } from '../events.ts'
import {
  addressAt,
  PRESENT,
  queueKey,
  STAKING_ADDRESS,
  UNBONDING_PREFIX,
  UNBONDING_QUEUE_PREFIX,
  unbondingFromKey,
  unbondingKey,
  unbondingSinceKey,
  unbondingsFromPrefix,
  unbondingsPrefix,
  unbondingsSincePrefix,
} from '../keys.ts'
import { followNewest, readAll, readSince } from './scan.ts'
import { readStakingParams } from './params.ts'
import { movePools, notePaid, payFromPool, poolOf } from './pools.ts'
import { nextUnbondingId, readMature } from './queue.ts'
import { requireSettled } from './slash-tasks.ts'
import { hasInvalidRate } from '../validator.ts'
import { requireValidator } from './validators.ts'

export interface UnbondingEntry {
  readonly creationHeight: number
  readonly completionTimeNs: bigint
  /** What came out of the delegation, less what was taken back. */
  readonly initialBalance: bigint
  /** What will be paid: less after a slash. */
  readonly balance: bigint
  readonly id: number
  /** The last task of a slash that it paid for (slash-tasks.ts). */
  readonly paidFor?: number
}

export interface UnbondingDelegation {
  readonly delegator: Address
  readonly operator: Address
  readonly entries: readonly UnbondingEntry[]
}

const encodeEntries = (entries: readonly UnbondingEntry[]): Uint8Array =>
  encodeRlp(
    entries.map(({ creationHeight, completionTimeNs, initialBalance, balance, id, paidFor }) =>
      [BigInt(creationHeight), completionTimeNs, initialBalance, balance, BigInt(id)]
        .concat(paidFor === undefined ? [] : [BigInt(paidFor)])
        .map(bigintToBytes),
    ),
  )

type Fields = [bigint, bigint, bigint, bigint, bigint, bigint?]

const decodeEntries = (value: Uint8Array): readonly UnbondingEntry[] =>
  (decodeRlp(value) as Uint8Array[][]).map((fields) => {
    const [height, completionTimeNs, initialBalance, balance, id, paidFor] = fields.map(bytesToBigint) as Fields
    const entry = { creationHeight: Number(height), completionTimeNs, initialBalance, balance, id: Number(id) }
    return paidFor === undefined ? entry : { ...entry, paidFor: Number(paidFor) }
  })

const NONE: readonly UnbondingEntry[] = []

/** Empty when there is none. */
export const readUnbondingEntries = (
  state: StateReader,
  delegator: Address,
  operator: Address,
): readonly UnbondingEntry[] => {
  const value = state.value(STAKING_ADDRESS, unbondingKey(delegator, operator))
  return value === undefined ? NONE : decodeEntries(value)
}

/**
 * Writes an unbonding delegation without its queue: the caller knows which entries are new or gone. Without entries the
 * record goes.
 */
export const writeUnbonding = (state: StateWriter, { delegator, operator, entries }: UnbondingDelegation): void => {
  const gone = entries.length === 0
  const keyAt = (height: number): Uint8Array => unbondingSinceKey(operator, height, delegator)
  followNewest(state, keyAt, readUnbondingEntries(state, delegator, operator), entries)
  state.setValue(STAKING_ADDRESS, unbondingKey(delegator, operator), gone ? undefined : encodeEntries(entries))
  state.setValue(STAKING_ADDRESS, unbondingFromKey(operator, delegator), gone ? undefined : PRESENT)
}

export const enqueueUnbonding = (
  state: StateWriter,
  { delegator, operator }: Omit<UnbondingDelegation, 'entries'>,
  { completionTimeNs, id }: UnbondingEntry,
): void =>
  state.setValue(
    STAKING_ADDRESS,
    queueKey(UNBONDING_QUEUE_PREFIX, completionTimeNs, id),
    concatBytes(delegator, operator),
  )

const dequeue = (state: StateWriter, { completionTimeNs, id }: UnbondingEntry): void =>
  state.setValue(STAKING_ADDRESS, queueKey(UNBONDING_QUEUE_PREFIX, completionTimeNs, id), undefined)

function* decodeAll(entries: Iterable<readonly [Uint8Array, Uint8Array]>): Generator<UnbondingDelegation, void> {
  for (const [key, value] of entries) {
    yield { delegator: addressAt(key, 1), operator: addressAt(key, 1, 1), entries: decodeEntries(value) }
  }
}

/** Reads unbonding delegations in the order of delegators, then of operators. */
export const readAllUnbondings = (state: StateReader): Iterable<UnbondingDelegation> =>
  decodeAll(readAll(state, UNBONDING_PREFIX))

/** Reads the unbonding delegations of one delegator, from the validator `start` (inclusive) on. */
export const readUnbondingsOf = (
  state: StateReader,
  delegator: Address,
  start?: Address,
): Iterable<UnbondingDelegation> =>
  decodeAll(
    readAll(state, unbondingsPrefix(delegator), start === undefined ? undefined : unbondingKey(delegator, start)),
  )

/** Reads the unbonding delegations from one validator in the order of delegators, from `start` (inclusive) on. */
export function* readUnbondingsFrom(
  state: StateReader,
  operator: Address,
  start?: Address,
): Generator<UnbondingDelegation, void> {
  const from = start === undefined ? undefined : unbondingFromKey(operator, start)
  for (const [key] of readAll(state, unbondingsFromPrefix(operator), from)) {
    const delegator = addressAt(key, 1, 1)
    yield { delegator, operator, entries: readUnbondingEntries(state, delegator, operator) }
  }
}

/**
 * Reads the unbonding delegations from one validator in the order of delegators: those with an entry of that height or
 * a later one.
 */
export const readUnbondingsSince = (
  state: StateReader,
  operator: Address,
  height: number,
): readonly UnbondingDelegation[] =>
  readSince(state, unbondingsSincePrefix(operator), height).map((delegator) => ({
    delegator,
    operator,
    entries: readUnbondingEntries(state, delegator, operator),
  }))

/** Two of one block that end together are one entry, which keeps the first id. */
const addEntry = (
  state: StateWriter,
  pair: Omit<UnbondingDelegation, 'entries'>,
  entries: readonly UnbondingEntry[],
  added: UnbondingEntry,
): void => {
  const same = entries.findIndex(
    ({ creationHeight, completionTimeNs }) =>
      creationHeight === added.creationHeight && completionTimeNs === added.completionTimeNs,
  )
  if (same === -1) {
    writeUnbonding(state, { ...pair, entries: [...entries, added] })
    enqueueUnbonding(state, pair, added)
    return
  }
  const merged = entries.map((entry, index) =>
    index === same
      ? {
          ...entry,
          initialBalance: entry.initialBalance + added.initialBalance,
          balance: entry.balance + added.balance,
        }
      : entry,
  )
  writeUnbonding(state, { ...pair, entries: merged })
}

/** Throws staking/3, staking/27, staking/101 and as `unbond` does. */
export const undelegate = (
  ports: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  operator: Address,
  shares: Decimal,
): { readonly completionTimeNs: bigint; readonly amount: bigint } => {
  const { state, timeNs, height } = context
  const validator = requireValidator(state, operator)
  const { maxEntries, unbondingTimeNs } = readStakingParams(state)
  requireSettled(state, operator)
  const entries = readUnbondingEntries(state, delegator, operator)
  if (entries.length >= maxEntries) throw stakingError('tooManyUnbondings')
  const amount = unbond(ports, context, delegator, operator, shares)
  movePools(ports, context, poolOf(validator), 'notBonded', amount)
  const completionTimeNs = timeNs + unbondingTimeNs
  const id = nextUnbondingId(state)
  const entry = { creationHeight: height, completionTimeNs, initialBalance: amount, balance: amount, id }
  addEntry(state, { delegator, operator }, entries, entry)
  return { completionTimeNs, amount }
}

/**
 * Gives an amount of the first entry of that height back to the validator. Throws staking/3, 34, 7, sdk/38 when there is
 * no such entry, and sdk/18 for more than it has or when it is over.
 */
export const cancelUnbonding = (
  ports: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  operator: Address,
  amount: bigint,
  creationHeight: bigint,
): void => {
  const { state } = context
  const validator = requireValidator(state, operator)
  if (hasInvalidRate(validator)) throw stakingError('invalidExchangeRate')
  if (validator.isJailed) throw stakingError('jailed')
  requireSettled(state, operator)
  const entries = readUnbondingEntries(state, delegator, operator)
  if (entries.length === 0) {
    const pair = `delegator ${encodeBech32(delegator)} not found for validator ${formatOperator(operator)}`
    throw sdkError('notFound', `unbonding delegation with ${pair}`)
  }
  const entry = entries.find((each) => BigInt(each.creationHeight) === creationHeight)
  if (entry === undefined) {
    throw sdkError('notFound', `unbonding delegation entry is not found at block height ${creationHeight}`)
  }
  if (entry.balance < amount) {
    throw sdkError('invalidRequest', 'amount is greater than the unbonding delegation entry balance')
  }
  if (entry.completionTimeNs < context.timeNs) {
    throw sdkError('invalidRequest', 'unbonding delegation is already processed')
  }
  delegate(ports, context, delegator, validator, amount, 'notBonded')
  const balance = entry.balance - amount
  if (balance === 0n) dequeue(state, entry)
  const rest = { ...entry, balance, initialBalance: entry.initialBalance - amount }
  writeUnbonding(state, {
    delegator,
    operator,
    entries: entries.flatMap((each) => (each !== entry ? [each] : balance === 0n ? [] : [rest])),
  })
}

/** Pays every mature entry of a pair; returns the sum, or undefined when none is mature. */
const complete = (
  ports: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  operator: Address,
  denom: string,
): bigint | undefined => {
  const { state, timeNs } = context
  const left: UnbondingEntry[] = []
  let sum: bigint | undefined
  for (const entry of readUnbondingEntries(state, delegator, operator)) {
    if (entry.completionTimeNs > timeNs) {
      left.push(entry)
      continue
    }
    dequeue(state, entry)
    if (entry.balance > 0n) payFromPool(ports, context, delegator, { denom, amount: entry.balance })
    sum = (sum ?? 0n) + entry.balance
  }
  if (sum !== undefined) writeUnbonding(state, { delegator, operator, entries: left })
  return sum
}

/** Pays what is due, at most `most` entries of the queue. `settle` takes first what a slash still has to take of a pair. */
export const completeMatureUnbondings = (
  ports: StakingPorts,
  context: ModuleContext,
  most: number,
  settle: (delegator: Address, operator: Address) => void,
): void => {
  const mature = readMature(context.state, UNBONDING_QUEUE_PREFIX, context.timeNs, most)
  if (mature.length === 0) return
  const { bondDenomination } = readStakingParams(context.state)
  let paid = 0n
  for (const [, pair] of mature) {
    const [delegator, operator] = [addressAt(pair, 0), addressAt(pair, 0, 1)]
    settle(delegator, operator)
    // Several entries of a pair are paid with the first.
    const amount = complete(ports, context, delegator, operator, bondDenomination)
    if (amount === undefined) continue
    paid += amount
    context.emit(completeUnbonding(amount, bondDenomination, operator, delegator))
  }
  notePaid(context.state, paid)
}

/**
 * Slashes that later blocks go on with (docs/adr/035): more had left the validator than one block looks at. The only code
 * that touches their keys; slash.ts does the work.
 */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, equalBytes, readUint64 } from '../../../core/bytes.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { stakingError } from '../errors.ts'
import { SLASH_TASK_PREFIX, slashTaskKey, STAKING_ADDRESS } from '../keys.ts'

export interface SlashTask {
  /** The number that the counter of unbonding gave: a later task has a higher one. */
  readonly id: number
  readonly operator: Address
  readonly infractionHeight: number
  /** Time of the block of the slash: what was due by then does not pay. */
  readonly timeNs: bigint
  readonly fraction: Decimal
  /** What is still owed: by those who left, and in the end by the validator. Below zero when they owe more than all. */
  readonly owed: bigint
  /** Unbonding delegations come first. */
  readonly phase: 'unbondings' | 'redelegations'
  /** Key of the index that was looked at last; empty at the beginning of a phase. */
  readonly last: Uint8Array
}

/** Validators whose slash waits at once: all of a set are fewer. */
const MAX_TASKS = 10_000

export const writeTask = (state: StateWriter, task: SlashTask): void => {
  const { id, operator, infractionHeight, timeNs, fraction, owed, phase, last } = task
  const integers = [BigInt(infractionHeight), timeNs, fraction, owed < 0n ? -owed : owed].map(bigintToBytes)
  const flags = Uint8Array.of(owed < 0n ? 1 : 0, phase === 'unbondings' ? 0 : 1)
  state.setValue(STAKING_ADDRESS, slashTaskKey(id), encodeRlp([operator, ...integers, flags, last]))
}

export const deleteTask = (state: StateWriter, { id }: SlashTask): void =>
  state.setValue(STAKING_ADDRESS, slashTaskKey(id), undefined)

type Record = readonly [Address, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

const decodeTask = ([key, value]: readonly [Uint8Array, Uint8Array]): SlashTask => {
  const [operator, height, time, fraction, owed, flags, last] = decodeRlp(value) as unknown as Record
  return {
    id: readUint64(key, SLASH_TASK_PREFIX.length),
    operator: operator.slice(),
    infractionHeight: Number(bytesToBigint(height)),
    timeNs: bytesToBigint(time),
    fraction: bytesToBigint(fraction),
    owed: flags[0] === 1 ? -bytesToBigint(owed) : bytesToBigint(owed),
    phase: flags[1] === 0 ? 'unbondings' : 'redelegations',
    last: last.slice(),
  }
}

/** The tasks in the order of their ids. One read where there is none. */
export const readTasks = (state: StateReader): readonly SlashTask[] =>
  state.values(STAKING_ADDRESS, SLASH_TASK_PREFIX, MAX_TASKS).map(decodeTask)

export const hasTask = (state: StateReader, operator: Address): boolean =>
  readTasks(state).some((task) => equalBytes(task.operator, operator))

/** Stake behind a validator stands still while it is slashed. Throws staking/101. */
export const requireSettled = (state: StateReader, operator: Address): void => {
  if (hasTask(state, operator)) throw stakingError('beingSlashed')
}

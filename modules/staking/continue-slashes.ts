/** Slashes that the ends of blocks go on with, a bounded part in each (docs/adr/035). */
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import type { ModuleContext } from '../module.ts'
import type { StakingPorts } from './deps.ts'
import { slashCompleted } from './events.ts'
import { callHooks } from './hooks.ts'
import { addressAt, addressesSince, redelegationsSincePrefix, unbondingsSincePrefix } from './keys.ts'
import { readKeysSince } from './keeper/scan.ts'
import { readRedelegationEntries, type Trio } from './keeper/redelegations.ts'
import { burnOwn } from './slash.ts'
import { slashRedelegation, slashUnbondings } from './slash-payers.ts'
import { deleteTask, readTasks, type SlashTask, writeTask } from './keeper/slash-tasks.ts'
import { readUnbondingEntries } from './keeper/unbonding.ts'
import { readValidator } from './keeper/validators.ts'

/**
 * The gas of all tasks together, as messages pay it: hooks of other modules consume of it too. The last record passes
 * it.
 */
export const GAS_PER_BLOCK = 10_000_000n
const GAS_PER_RECORD = 3_000n
const GAS_PER_ENTRY = 10_000n

const faultOf = ({ id, infractionHeight: height, fraction, timeNs }: SlashTask) => ({
  height,
  fraction,
  timeNs,
  task: id,
})

type Pair = readonly [delegator: Address, operator: Address]

const slashPair = (ports: StakingPorts, context: ModuleContext, task: SlashTask, pair: Pair): SlashTask => {
  const [delegator, operator] = pair
  const entries = readUnbondingEntries(context.state, delegator, operator)
  context.consumeGas?.(GAS_PER_RECORD + GAS_PER_ENTRY * BigInt(entries.length), 'slash')
  const owed = slashUnbondings(ports, context, [{ delegator, operator, entries }], faultOf(task))
  return { ...task, owed: task.owed - owed }
}

const slashTrio = (ports: StakingPorts, context: ModuleContext, task: SlashTask, trio: Trio): SlashTask => {
  const entries = readRedelegationEntries(context.state, trio)
  context.consumeGas?.(GAS_PER_RECORD + GAS_PER_ENTRY * BigInt(entries.length), 'slash')
  return { ...task, owed: task.owed - slashRedelegation(ports, context, { ...trio, entries }, faultOf(task)) }
}

const finish = (ports: StakingPorts, context: ModuleContext, task: SlashTask): void => {
  deleteTask(context.state, task)
  const validator = readValidator(context.state, task.operator)
  // Its last stake may have been that of redelegations to it, slashed by another task.
  if (validator === undefined) return
  callHooks(ports, 'beforeValidatorModified', context, task.operator)
  context.emit(slashCompleted(task.operator, burnOwn(ports, context, validator, task.owed)))
}

/** The next records of a task; undefined when it is done. */
const advance = (ports: StakingPorts, context: ModuleContext, task: SlashTask): SlashTask | undefined => {
  const { operator, phase, last, infractionHeight } = task
  const prefix = phase === 'unbondings' ? unbondingsSincePrefix(operator) : redelegationsSincePrefix(operator)
  const [key] = readKeysSince(context.state, prefix, infractionHeight, last, 1)
  if (key === undefined) {
    return phase === 'unbondings' ? { ...task, phase: 'redelegations', last: EMPTY_BYTES } : undefined
  }
  const addresses = addressesSince(key)
  const delegator = addressAt(addresses, 0)
  const after =
    phase === 'unbondings'
      ? slashPair(ports, context, task, [delegator, operator])
      : slashTrio(ports, context, task, { delegator, source: operator, destination: addressAt(addresses, 0, 1) })
  return { ...after, last: key }
}

/** The oldest task first. One read where there is none. */
export const continueSlashes = (ports: StakingPorts, { state, height, timeNs, chainId, emit }: ModuleContext): void => {
  let used = 0n
  const consumeGas = (amount: bigint): void => {
    used += amount
  }
  const context: ModuleContext = { state, height, timeNs, chainId, emit, consumeGas }
  for (const begun of readTasks(state)) {
    let task = begun
    for (let next: SlashTask | undefined = begun; next !== undefined; next = advance(ports, context, task)) {
      task = next
      if (used >= GAS_PER_BLOCK) return writeTask(state, task)
    }
    finish(ports, context, task)
  }
}

/** What the delegator owes is taken before stake of its own at `operator`, or on its way from there, is paid out. */
export const settleUnbonding = (
  ports: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  operator: Address,
): void => {
  for (const task of readTasks(context.state)) {
    const own = equalBytes(task.operator, operator)
    const trio = { delegator, source: task.operator, destination: operator }
    const after = own ? slashPair(ports, context, task, [delegator, operator]) : slashTrio(ports, context, task, trio)
    if (after.owed !== task.owed) writeTask(context.state, after)
  }
}

/** Does what {@link settleUnbonding} does, before a redelegation is over. */
export const settleRedelegation = (ports: StakingPorts, context: ModuleContext, trio: Trio): void => {
  for (const task of readTasks(context.state)) {
    if (!equalBytes(task.operator, trio.source)) continue
    const after = slashTrio(ports, context, task, trio)
    if (after.owed !== task.owed) writeTask(context.state, after)
  }
}

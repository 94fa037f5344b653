/** Who left a validator since a fault, and pays for it: unbonding delegations and redelegations. */
import type { Address } from '../../core/address.ts'
import { type Decimal, multiply, truncate } from '../../core/decimal.ts'
import type { ModuleContext } from '../module.ts'
import { readDelegation, unbond } from './keeper/delegations.ts'
import type { StakingPorts } from './deps.ts'
import { burnFromPool, type Pool, poolOf } from './keeper/pools.ts'
import { type Redelegation, writeRedelegation } from './keeper/redelegations.ts'
import {
  readUnbondingEntries,
  type UnbondingDelegation,
  type UnbondingEntry,
  writeUnbonding,
} from './keeper/unbonding.ts'
import { readValidator } from './keeper/validators.ts'

export interface Fault {
  readonly height: number
  readonly fraction: Decimal
  /** Time of the block of the slash: what was due by then does not pay. */
  readonly timeNs: bigint
  /** The task that takes it, if blocks go on with it: entries note it, and pay once. */
  readonly task?: number
}

type Entry = Pick<UnbondingEntry, 'creationHeight' | 'completionTimeNs' | 'paidFor'>

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Whether an entry began after the fault, so that its stake stood behind it, and was not over. */
const stoodBehind = ({ creationHeight, completionTimeNs }: Entry, { height, timeNs }: Fault): boolean =>
  creationHeight >= height && completionTimeNs > timeNs

/** Whether it pays, and has not done so. */
const pays = (entry: Entry, fault: Fault): boolean =>
  stoodBehind(entry, fault) && (fault.task === undefined || (entry.paidFor ?? 0) < fault.task)

const noted = <Each extends Entry>(entry: Each, { task }: Fault): Each =>
  task === undefined ? entry : { ...entry, paidFor: task }

/** Takes the parts of unbonding delegations, and burns them together. Returns what they owe: it may be more than they have. */
export const slashUnbondings = (
  ports: StakingPorts,
  context: ModuleContext,
  unbondings: Iterable<UnbondingDelegation>,
  fault: Fault,
): bigint => {
  let [owed, burned] = [0n, 0n]
  for (const unbonding of unbondings) {
    if (!unbonding.entries.some((entry) => pays(entry, fault))) continue
    const entries = unbonding.entries.map((entry) => {
      if (!pays(entry, fault)) return entry
      const share = truncate(fault.fraction * entry.initialBalance)
      const paid = smaller(share, entry.balance)
      owed += share
      burned += paid
      return noted({ ...entry, balance: entry.balance - paid }, fault)
    })
    writeUnbonding(context.state, { ...unbonding, entries })
  }
  burnFromPool(ports, context, 'notBonded', burned)
  return owed
}

/** Takes up to `share` from what the delegator withdraws from the destination since. Returns what it took. */
const takeFromUnbonding = (
  { state }: ModuleContext,
  delegator: Address,
  operator: Address,
  fault: Fault,
  share: bigint,
): bigint => {
  let rest = share
  const entries = readUnbondingEntries(state, delegator, operator).map((entry) => {
    if (!stoodBehind(entry, fault)) return entry
    const paid = smaller(rest, entry.balance)
    rest -= paid
    return { ...entry, balance: entry.balance - paid }
  })
  if (rest < share) writeUnbonding(state, { delegator, operator, entries })
  return share - rest
}

/**
 * Burns the part of a redelegation: first of what leaves the destination already, then of the delegation there. Returns
 * what it owes.
 */
export const slashRedelegation = (
  ports: StakingPorts,
  context: ModuleContext,
  redelegation: Redelegation,
  fault: Fault,
): bigint => {
  const { state } = context
  const { delegator, destination, entries } = redelegation
  const burned: { [Name in Pool]: bigint } = { bonded: 0n, notBonded: 0n }
  let owed = 0n
  for (const entry of entries) {
    if (!pays(entry, fault)) continue
    const share = truncate(fault.fraction * entry.initialBalance)
    owed += share
    const taken = takeFromUnbonding(context, delegator, destination, fault, share)
    burned.notBonded += taken
    const shares = multiply(fault.fraction, entry.sharesDestination)
    if (shares === 0n || taken === share) continue
    const held = readDelegation(state, delegator, destination)
    if (held === undefined) continue
    const tokens = unbond(ports, context, delegator, destination, smaller(shares, held.shares))
    // Where the SDK stops the chain, for it asks for the validator again: one that is gone was unbonded.
    const validator = readValidator(state, destination)
    burned[validator === undefined ? 'notBonded' : poolOf(validator)] += tokens
  }
  if (fault.task !== undefined && entries.some((entry) => pays(entry, fault))) {
    const after = entries.map((entry) => (pays(entry, fault) ? noted(entry, fault) : entry))
    writeRedelegation(state, { ...redelegation, entries: after })
  }
  burnFromPool(ports, context, 'bonded', burned.bonded)
  burnFromPool(ports, context, 'notBonded', burned.notBonded)
  return owed
}

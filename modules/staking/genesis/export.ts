/** The inverse of init-genesis.ts: queues, indexes and sums follow from the records. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { bytesToBase64 } from '../../../core/bytes.ts'
import { formatDecimal } from '../../../core/decimal.ts'
import { formatTime } from '../../../core/time.ts'
import type { StateReader } from '../../../store/state.ts'
import type { DelegationView } from '../../stake.ts'
import { formatOperator } from '../../validator-addresses.ts'
import { readAllDelegations } from '../keeper/delegations.ts'
import { formatStakingParams } from './params.ts'
import { readStakingParams } from '../keeper/params.ts'
import { formatPublicKey } from './public-key.ts'
import { readUnbondingId } from '../keeper/queue.ts'
import { readAllRedelegations, type Redelegation, type RedelegationEntry } from '../keeper/redelegations.ts'
import { readTasks, type SlashTask } from '../keeper/slash-tasks.ts'
import { readAllUnbondings, type UnbondingDelegation, type UnbondingEntry } from '../keeper/unbonding.ts'
import { readLastPowers, readLastTotalPower } from '../keeper/validator-updates.ts'
import type { Validator } from '../validator.ts'
import { readValidators } from '../keeper/validators.ts'
import { STATUS_NAMES } from '../wire.ts'

export const formatValidator = (validator: Validator) => {
  const { description } = validator
  return {
    operator_address: formatOperator(validator.operator),
    consensus_pubkey: formatPublicKey(validator.publicKey),
    jailed: validator.isJailed,
    status: STATUS_NAMES[validator.status],
    tokens: validator.tokens.toString(),
    delegator_shares: formatDecimal(validator.shares),
    description: {
      moniker: description.moniker,
      identity: description.identity,
      website: description.website,
      security_contact: description.securityContact,
      details: description.details,
    },
    unbonding_height: validator.unbondingHeight.toString(),
    unbonding_time: formatTime(validator.unbondingTimeNs),
    commission: {
      commission_rates: {
        rate: formatDecimal(validator.commissionRate),
        max_rate: formatDecimal(validator.maxCommissionRate),
        max_change_rate: formatDecimal(validator.maxCommissionChangeRate),
      },
      update_time: formatTime(validator.commissionTimeNs),
    },
    min_self_delegation: validator.minSelfDelegation.toString(),
    unbonding_on_hold_ref_count: '0',
    unbonding_ids: validator.unbondingIds.map(String),
  }
}

export const formatDelegation = ({ delegator, operator, shares }: DelegationView) => ({
  delegator_address: encodeBech32(delegator),
  validator_address: formatOperator(operator),
  shares: formatDecimal(shares),
})

const formatEntry = (entry: UnbondingEntry | RedelegationEntry) => ({
  creation_height: entry.creationHeight.toString(),
  completion_time: formatTime(entry.completionTimeNs),
  initial_balance: entry.initialBalance.toString(),
  unbonding_id: entry.id.toString(),
  unbonding_on_hold_ref_count: '0',
  ...(entry.paidFor === undefined ? {} : { paid_for: entry.paidFor.toString() }),
})

const formatSlash = (task: SlashTask) => ({
  id: task.id.toString(),
  validator_address: formatOperator(task.operator),
  infraction_height: task.infractionHeight.toString(),
  time: formatTime(task.timeNs),
  fraction: formatDecimal(task.fraction),
  owed: task.owed.toString(),
  phase: task.phase,
  last: bytesToBase64(task.last),
})

/** There is hardly ever a task. */
const formatSlashes = (tasks: readonly SlashTask[]) => (tasks.length === 0 ? {} : { slashes: tasks.map(formatSlash) })

const formatUnbonding = ({ delegator, operator, entries }: UnbondingDelegation) => ({
  delegator_address: encodeBech32(delegator),
  validator_address: formatOperator(operator),
  entries: entries.map((entry) => ({ ...formatEntry(entry), balance: entry.balance.toString() })),
})

const formatRedelegation = ({ delegator, source, destination, entries }: Redelegation) => ({
  delegator_address: encodeBech32(delegator),
  validator_src_address: formatOperator(source),
  validator_dst_address: formatOperator(destination),
  entries: entries.map((entry) => ({ ...formatEntry(entry), shares_dst: formatDecimal(entry.sharesDestination) })),
})

function* mapAll<Item, Out>(items: Iterable<Item>, format: (item: Item) => Out): Generator<Out> {
  for (const item of items) yield format(item)
}

export const exportStaking = (state: StateReader) => ({
  params: formatStakingParams(readStakingParams(state)),
  last_total_power: readLastTotalPower(state).toString(),
  last_validator_powers: mapAll(readLastPowers(state), ({ operator, power }) => ({
    address: formatOperator(operator),
    power: power.toString(),
  })),
  validators: mapAll(readValidators(state), formatValidator),
  delegations: mapAll(readAllDelegations(state), formatDelegation),
  unbonding_delegations: mapAll(readAllUnbondings(state), formatUnbonding),
  redelegations: mapAll(readAllRedelegations(state), formatRedelegation),
  ...formatSlashes(readTasks(state)),
  exported: true,
  last_unbonding_id: readUnbondingId(state).toString(),
})

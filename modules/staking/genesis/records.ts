/** Records of the genesis file in the SDK's form (proto-JSON), each by itself. Every failure is genesis/1 and names its member. */
import { MAX_UINT64 } from '../../../core/amounts.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { ONE } from '../../../core/decimal.ts'
import { failAt, parseAmount, parseArray, parseInteger, parseObject, parseString } from '../../../core/parse.ts'
import type { DelegationView } from '../../stake.ts'
import { consensusAddressOf } from '../../validator-addresses.ts'
import { checkCommissionRates } from '../commission.ts'
import { checkDescription, EMPTY_DESCRIPTION } from '../description.ts'
import { checkNoHold, located, locatedAccount, locatedDecimal, locatedOperator, locatedTime } from './values.ts'
import { parseGenesisPublicKey } from './public-key.ts'
import type { Redelegation, RedelegationEntry } from '../keeper/redelegations.ts'
import type { SlashTask } from '../keeper/slash-tasks.ts'
import type { UnbondingDelegation, UnbondingEntry } from '../keeper/unbonding.ts'
import type { Validator } from '../validator.ts'
import type { PowerEntry } from '../keeper/validators.ts'

/** Most entries of one record. */
const MAX_ENTRIES = 1_000
const EPOCH = '1970-01-01T00:00:00Z'

const STATUSES: ReadonlyMap<unknown, Validator['status']> = new Map([
  ['BOND_STATUS_UNBONDED', 'unbonded'],
  ['BOND_STATUS_UNBONDING', 'unbonding'],
  ['BOND_STATUS_BONDED', 'bonded'],
])

const DESCRIPTION_MEMBERS = {
  moniker: 'moniker',
  identity: 'identity',
  website: 'website',
  security_contact: 'securityContact',
  details: 'details',
} as const

const parseDescription = (value: unknown, path: string): Validator['description'] => {
  const object = parseObject(value ?? {}, path, Object.keys(DESCRIPTION_MEMBERS))
  const members = Object.entries(DESCRIPTION_MEMBERS).map(([name, member]) => [
    member,
    object[name] === undefined ? '' : parseString(object[name], `${path}.${name}`),
  ])
  return located(path, () => checkDescription({ ...EMPTY_DESCRIPTION, ...Object.fromEntries(members) }))
}

const parseCommission = (value: unknown, path: string) => {
  const commission = parseObject(value, path, ['commission_rates', 'update_time'])
  const at = `${path}.commission_rates`
  const rates = parseObject(commission['commission_rates'], at, ['rate', 'max_rate', 'max_change_rate'])
  const [rate, maxRate, maxChangeRate] = [
    locatedDecimal(rates['rate'], `${at}.rate`),
    locatedDecimal(rates['max_rate'], `${at}.max_rate`),
    locatedDecimal(rates['max_change_rate'], `${at}.max_change_rate`),
  ]
  located(at, () => checkCommissionRates({ rate, maxRate, maxChangeRate }))
  return {
    commissionRate: rate,
    maxCommissionRate: maxRate,
    maxCommissionChangeRate: maxChangeRate,
    commissionTimeNs: locatedTime(commission['update_time'] ?? EPOCH, `${path}.update_time`),
  }
}

const VALIDATOR_MEMBERS = [
  'operator_address',
  'consensus_pubkey',
  'jailed',
  'status',
  'tokens',
  'delegator_shares',
  'description',
  'unbonding_height',
  'unbonding_time',
  'commission',
  'min_self_delegation',
  'unbonding_on_hold_ref_count',
  'unbonding_ids',
] as const

export const parseFlag = (value: unknown, path: string): boolean =>
  value === undefined ? false : typeof value === 'boolean' ? value : failAt(path, 'must be true or false')

export const parseValidator = (value: unknown, path: string): Validator => {
  const object = parseObject(value, path, VALIDATOR_MEMBERS)
  const status = STATUSES.get(object['status'])
  if (status === undefined) return failAt(`${path}.status`, `must be one of ${[...STATUSES.keys()].join(', ')}`)
  const publicKey = parseGenesisPublicKey(object['consensus_pubkey'], `${path}.consensus_pubkey`)
  checkNoHold(object['unbonding_on_hold_ref_count'], `${path}.unbonding_on_hold_ref_count`)
  const ids = parseArray(object['unbonding_ids'], `${path}.unbonding_ids`, MAX_ENTRIES).map((id, index) =>
    parseInteger(id, `${path}.unbonding_ids[${index}]`),
  )
  const validator: Validator = {
    operator: locatedOperator(object['operator_address'], `${path}.operator_address`),
    publicKey,
    consensusAddress: consensusAddressOf(publicKey),
    status,
    isJailed: parseFlag(object['jailed'], `${path}.jailed`),
    tokens: parseAmount(object['tokens'], `${path}.tokens`),
    shares: locatedDecimal(object['delegator_shares'], `${path}.delegator_shares`),
    minSelfDelegation: parseAmount(object['min_self_delegation'] ?? '1', `${path}.min_self_delegation`),
    description: parseDescription(object['description'], `${path}.description`),
    ...parseCommission(object['commission'], `${path}.commission`),
    unbondingHeight: parseInteger(object['unbonding_height'] ?? '0', `${path}.unbonding_height`),
    unbondingTimeNs: locatedTime(object['unbonding_time'] ?? EPOCH, `${path}.unbonding_time`),
    // The SDK keeps those of ended unbonding too.
    unbondingIds: status === 'unbonding' ? ids : [],
  }
  if (validator.shares === 0n && status === 'unbonded') {
    failAt(path, 'an unbonded validator cannot have zero delegator shares')
  }
  if (validator.shares === 0n && validator.tokens > 0n) failAt(`${path}.tokens`, 'have no shares that they belong to')
  return validator
}

export const parseDelegation = (value: unknown, path: string): DelegationView => {
  const object = parseObject(value, path, ['delegator_address', 'validator_address', 'shares'])
  const shares = locatedDecimal(object['shares'], `${path}.shares`)
  if (shares === 0n) failAt(`${path}.shares`, 'must be positive')
  return {
    delegator: locatedAccount(object['delegator_address'], `${path}.delegator_address`),
    operator: locatedOperator(object['validator_address'], `${path}.validator_address`),
    shares,
  }
}

const ENTRY_MEMBERS = [
  'creation_height',
  'completion_time',
  'initial_balance',
  'unbonding_id',
  'unbonding_on_hold_ref_count',
  'paid_for',
] as const

/** What entries of unbonding delegations and of redelegations share. */
const parseEntry = (value: unknown, path: string, more: string) => {
  const object = parseObject(value, path, [...ENTRY_MEMBERS, more])
  checkNoHold(object['unbonding_on_hold_ref_count'], `${path}.unbonding_on_hold_ref_count`)
  return {
    creationHeight: parseInteger(object['creation_height'], `${path}.creation_height`),
    completionTimeNs: locatedTime(object['completion_time'], `${path}.completion_time`),
    initialBalance: parseAmount(object['initial_balance'], `${path}.initial_balance`),
    id: parseInteger(object['unbonding_id'], `${path}.unbonding_id`),
    ...(object['paid_for'] === undefined ? {} : { paidFor: parseInteger(object['paid_for'], `${path}.paid_for`) }),
    more: object[more],
  }
}

const parseUnbondingEntry = (value: unknown, path: string): UnbondingEntry => {
  const { more, ...entry } = parseEntry(value, path, 'balance')
  const balance = parseAmount(more, `${path}.balance`)
  return balance <= entry.initialBalance
    ? { ...entry, balance }
    : failAt(`${path}.balance`, 'must not be above the initial balance')
}

const parseRedelegationEntry = (value: unknown, path: string): RedelegationEntry => {
  const { more, ...entry } = parseEntry(value, path, 'shares_dst')
  return { ...entry, sharesDestination: locatedDecimal(more, `${path}.shares_dst`) }
}

const parseEntries = <Entry>(value: unknown, path: string, parse: (value: unknown, path: string) => Entry): Entry[] => {
  const entries = parseArray(value, path, MAX_ENTRIES).map((entry, index) => parse(entry, `${path}[${index}]`))
  return entries.length > 0 ? entries : failAt(path, 'must not be empty')
}

export const parseUnbonding = (value: unknown, path: string): UnbondingDelegation => {
  const object = parseObject(value, path, ['delegator_address', 'validator_address', 'entries'])
  return {
    delegator: locatedAccount(object['delegator_address'], `${path}.delegator_address`),
    operator: locatedOperator(object['validator_address'], `${path}.validator_address`),
    entries: parseEntries(object['entries'], `${path}.entries`, parseUnbondingEntry),
  }
}

export const parseRedelegation = (value: unknown, path: string): Redelegation => {
  const members = ['delegator_address', 'validator_src_address', 'validator_dst_address', 'entries']
  const object = parseObject(value, path, members)
  return {
    delegator: locatedAccount(object['delegator_address'], `${path}.delegator_address`),
    source: locatedOperator(object['validator_src_address'], `${path}.validator_src_address`),
    destination: locatedOperator(object['validator_dst_address'], `${path}.validator_dst_address`),
    entries: parseEntries(object['entries'], `${path}.entries`, parseRedelegationEntry),
  }
}

export const parsePower = (value: unknown, path: string): PowerEntry => {
  const object = parseObject(value, path, ['address', 'power'])
  const power = parseAmount(object['power'], `${path}.power`)
  if (power === 0n || power > MAX_UINT64) failAt(`${path}.power`, 'must be positive and below 2^64')
  return { operator: locatedOperator(object['address'], `${path}.address`), power }
}

/** A slash that blocks go on with. */
export const parseSlash = (value: unknown, path: string): SlashTask => {
  const members = ['id', 'validator_address', 'infraction_height', 'time', 'fraction', 'owed', 'phase', 'last']
  const object = parseObject(value, path, members)
  const owed = parseString(object['owed'], `${path}.owed`)
  const { phase } = object
  if (phase !== 'unbondings' && phase !== 'redelegations')
    failAt(`${path}.phase`, 'must be unbondings or redelegations')
  const size = parseAmount(owed.replace(/^-/, ''), `${path}.owed`)
  const fraction = locatedDecimal(object['fraction'], `${path}.fraction`)
  if (fraction > ONE) failAt(`${path}.fraction`, 'must not be above 1')
  return {
    id: parseInteger(object['id'], `${path}.id`),
    operator: locatedOperator(object['validator_address'], `${path}.validator_address`),
    infractionHeight: parseInteger(object['infraction_height'], `${path}.infraction_height`),
    timeNs: locatedTime(object['time'], `${path}.time`),
    fraction,
    owed: owed.startsWith('-') ? -size : size,
    phase: phase as SlashTask['phase'],
    last: plainBytes(Buffer.from(parseString(object['last'], `${path}.last`), 'base64')),
  }
}

/** The member `staking` of app_state in the SDK's form: reading and checking it. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey, compareBytes } from '../../../core/bytes.ts'
import { failAt, parseAmount, parseArray, parseInteger, parseObject } from '../../../core/parse.ts'
import type { DelegationView } from '../../stake.ts'
import { formatOperator } from '../../validator-addresses.ts'
import {
  parseDelegation,
  parseFlag,
  parsePower,
  parseRedelegation,
  parseSlash,
  parseUnbonding,
  parseValidator,
} from './records.ts'
import { type StakingParams } from '../params.ts'
import { parseStakingParams } from './params.ts'
import { MAX_STAKE, poolOf, type PoolTokens } from '../keeper/pools.ts'
import type { Redelegation } from '../keeper/redelegations.ts'
import type { SlashTask } from '../keeper/slash-tasks.ts'
import type { UnbondingDelegation } from '../keeper/unbonding.ts'
import type { Validator } from '../validator.ts'
import type { PowerEntry } from '../keeper/validators.ts'

/** Most records of one kind. */
const MAX_RECORDS = 10_000_000

export interface StakingGenesis {
  readonly params: StakingParams
  readonly lastTotalPower: bigint
  readonly lastValidatorPowers: readonly PowerEntry[]
  /** The validators in the order of operators. */
  readonly validators: readonly Validator[]
  readonly delegations: readonly DelegationView[]
  readonly unbondingDelegations: readonly UnbondingDelegation[]
  readonly redelegations: readonly Redelegation[]
  /** Not in the SDK's form: what blocks go on with (slash-tasks.ts). */
  readonly slashes: readonly SlashTask[]
  /** It goes on from another chain: its modules know these validators already. */
  readonly exported: boolean
  /** Not in the SDK's form, which loses the counter: ids of ended unbonding would be used again. */
  readonly lastUnbondingId: number
  /** What the pools must hold for all of this. */
  readonly pools: PoolTokens
}

/** The genesis before the records are held against each other. */
type Unchecked = Omit<StakingGenesis, 'pools'>

const checkUnique = (keys: Iterable<readonly Uint8Array[]>, path: string, what: string): void => {
  const seen = new Set<string>()
  for (const parts of keys) {
    const key = parts.map(bytesToKey).join('')
    if (seen.has(key)) failAt(`${path}[${seen.size}]`, `duplicate ${what}`)
    seen.add(key)
  }
}

/**
 * Shares of delegations sum to those of the validators, which are there. What leaves may come from one that is gone: the
 * last shares of an unbonded validator.
 */
const checkReferences = (genesis: Unchecked, path: string): void => {
  const shares = new Map(genesis.validators.map((validator) => [bytesToKey(validator.operator), validator.shares]))
  const find = (operator: Address, at: string): bigint =>
    shares.get(bytesToKey(operator)) ?? failAt(at, `validator ${formatOperator(operator)} is not in the genesis file`)
  for (const [index, { operator, shares: part }] of genesis.delegations.entries()) {
    shares.set(bytesToKey(operator), find(operator, `${path}.delegations[${index}]`) - part)
  }
  for (const [index, { operator }] of genesis.validators.entries()) {
    if (shares.get(bytesToKey(operator)) !== 0n) {
      failAt(`${path}.validators[${index}].delegator_shares`, 'is not the sum of the shares of the delegations')
    }
  }
  for (const [index, { operator }] of genesis.lastValidatorPowers.entries()) {
    find(operator, `${path}.last_validator_powers[${index}]`)
  }
}

/** Queues are ordered by these ids: each is used once, and the counter is not below any. */
const checkIds = (
  { validators, unbondingDelegations, redelegations, slashes, lastUnbondingId }: Unchecked,
  path: string,
): void => {
  const seen = new Set<number>()
  const ids = [
    ...validators.map(({ unbondingIds }) => unbondingIds),
    ...[...unbondingDelegations, ...redelegations].map(({ entries }) => entries.map(({ id }) => id)),
    slashes.map(({ id }) => id),
  ]
  for (const id of ids.flat()) {
    if (id === 0 || seen.has(id)) failAt(path, `unbonding id ${id} must be positive, and stand once`)
    if (id > lastUnbondingId) failAt(`${path}.last_unbonding_id`, `must not be below the unbonding id ${id}`)
    seen.add(id)
  }
}

/** Only while nobody has power a validator stays bonded without stake, or in jail: a chain cannot begin with it. */
const checkBonded = (validator: Validator, exported: boolean, path: string): Validator => {
  const { status, isJailed, shares } = validator
  if (exported || status !== 'bonded') return validator
  if (isJailed) failAt(path, 'the validator is bonded and jailed')
  return shares > 0n ? validator : failAt(path, 'a bonded validator cannot have zero delegator shares')
}

/** Checks the powers: in an export, who is bonded is who has a power; in a new chain powers are not given. */
const checkPowers = ({ exported, lastValidatorPowers, validators, lastTotalPower }: Unchecked, path: string): void => {
  if (!exported) {
    if (lastValidatorPowers.length > 0) failAt(`${path}.last_validator_powers`, 'must be empty unless exported is true')
    return
  }
  const powers = new Set(lastValidatorPowers.map(({ operator }) => bytesToKey(operator)))
  for (const [index, { operator, status }] of validators.entries()) {
    if ((status === 'bonded') === powers.has(bytesToKey(operator))) continue
    failAt(
      `${path}.validators[${index}].status`,
      'must be bonded for those in last_validator_powers, and for no others',
    )
  }
  const total = lastValidatorPowers.reduce((sum, { power }) => sum + power, 0n)
  if (total !== lastTotalPower)
    failAt(`${path}.last_total_power`, `is ${lastTotalPower}, but the powers sum to ${total}`)
}

const sumPools = ({ validators, unbondingDelegations }: Unchecked, path: string): PoolTokens => {
  const pools = { bonded: 0n, notBonded: 0n }
  for (const validator of validators) pools[poolOf(validator)] += validator.tokens
  for (const { entries } of unbondingDelegations) for (const { balance } of entries) pools.notBonded += balance
  return pools.bonded + pools.notBonded <= MAX_STAKE ? pools : failAt(path, 'more stake than there can be')
}

const MEMBERS = [
  'params',
  'last_total_power',
  'last_validator_powers',
  'validators',
  'delegations',
  'unbonding_delegations',
  'redelegations',
  'slashes',
  'exported',
  'last_unbonding_id',
] as const

const highestId = (genesis: Pick<StakingGenesis, 'validators' | 'unbondingDelegations' | 'redelegations'>): number => {
  let highest = 0
  for (const { unbondingIds } of genesis.validators) for (const id of unbondingIds) highest = Math.max(highest, id)
  for (const { entries } of [...genesis.unbondingDelegations, ...genesis.redelegations]) {
    for (const { id } of entries) highest = Math.max(highest, id)
  }
  return highest
}

/** Everything left out is empty or takes its default. Throws genesis/1 with the member at fault. */
export const parseStakingGenesis = (genesis: unknown, path = 'app_state.staking'): StakingGenesis => {
  const object = parseObject(genesis ?? {}, path, MEMBERS)
  const list = <Item>(name: (typeof MEMBERS)[number], parse: (value: unknown, at: string) => Item): readonly Item[] =>
    parseArray(object[name], `${path}.${name}`, MAX_RECORDS).map((item, at) => parse(item, `${path}.${name}[${at}]`))
  const exported = parseFlag(object['exported'], `${path}.exported`)
  const parse = (value: unknown, at: string): Validator => checkBonded(parseValidator(value, at), exported, at)
  const records = {
    validators: [...list('validators', parse)].sort((a, b) => compareBytes(a.operator, b.operator)),
    delegations: list('delegations', parseDelegation),
    unbondingDelegations: list('unbonding_delegations', parseUnbonding),
    redelegations: list('redelegations', parseRedelegation),
    slashes: list('slashes', parseSlash),
  }
  const id = object['last_unbonding_id']
  const parsed = {
    ...records,
    params: parseStakingParams(object['params'], `${path}.params`),
    lastTotalPower: parseAmount(object['last_total_power'] ?? '0', `${path}.last_total_power`),
    lastValidatorPowers: list('last_validator_powers', parsePower),
    exported,
    lastUnbondingId: id === undefined ? highestId(records) : parseInteger(id, `${path}.last_unbonding_id`),
  }
  const at = (name: (typeof MEMBERS)[number]): string => `${path}.${name}`
  checkUnique(
    parsed.validators.map(({ operator }) => [operator]),
    at('validators'),
    'operator',
  )
  checkUnique(
    parsed.validators.map(({ publicKey }) => [publicKey]),
    at('validators'),
    'key',
  )
  checkUnique(
    parsed.lastValidatorPowers.map(({ operator }) => [operator]),
    at('last_validator_powers'),
    'operator',
  )
  checkUnique(
    parsed.delegations.map((each) => [each.delegator, each.operator]),
    at('delegations'),
    'delegation',
  )
  checkUnique(
    parsed.unbondingDelegations.map((each) => [each.delegator, each.operator]),
    at('unbonding_delegations'),
    'pair',
  )
  checkUnique(
    parsed.redelegations.map(({ delegator, source, destination }) => [delegator, source, destination]),
    at('redelegations'),
    'redelegation',
  )
  checkReferences(parsed, path)
  checkIds(parsed, path)
  checkPowers(parsed, path)
  return { ...parsed, pools: sumPools(parsed, path) }
}

/**
 * The member `distribution` of app_state: x/distribution's GenesisState, and `accrual` for what is not settled yet. What
 * the records account for (Totals.heldAnat) follows from their sum.
 */
import type { Address } from '../../../core/address.ts'
import { DENOMINATION, MAX_UINT64 } from '../../../core/amounts.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToKey, keyToBytes } from '../../../core/bytes.ts'
import { type Decimal, ONE, parseDecimal, parseLongDecimal } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { failAt, parseAmount, parseArray, parseInteger, parseObject, parseString } from '../../../core/parse.ts'
import { parseConsensusAddress, parseOperator } from '../../validator-addresses.ts'
import type { HistoricalRewards, StartingInfo, ValidatorRewards } from '../codec.ts'
import { isDenom } from '../coins.ts'
import { addCoins, type DecCoin, type DecCoins, NO_COINS } from '../dec-coins.ts'
import { DEFAULT_PARAMS, type DistributionParams, faultOfTax } from '../params.ts'
import type { Voter } from '../voters.ts'

/** Most entries of a list. */
const MAX_ENTRIES = 10_000_000
/** The most of a validator: messages let it have 16. */
const MAX_DENOMINATIONS = 1_000

export interface GenesisSlash {
  readonly height: number
  readonly period: number
  readonly fraction: Decimal
}

export interface DistributionGenesis {
  readonly params: DistributionParams
  readonly pool: DecCoins
  readonly withdrawAddresses: Iterable<readonly [delegator: Address, receiver: Address]>
  /** The entries go by operators, here and below. */
  readonly validators: Iterable<readonly [Address, ValidatorRewards]>
  readonly historical: Iterable<readonly [Address, { readonly period: number; readonly rewards: HistoricalRewards }]>
  readonly starts: Iterable<readonly [Address, { readonly delegator: Address; readonly start: StartingInfo }]>
  /** Those of a validator in the order of periods. */
  readonly slashes: Iterable<readonly [Address, GenesisSlash]>
  readonly accumulator: Decimal
  readonly voters: readonly (Voter & { readonly checkpoint: Decimal })[]
  /** All that is owed to anybody, by denomination. */
  readonly held: DecCoins
}

const located = <T>(path: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return failAt(path, error.message)
  }
}

const addressAt = (value: unknown, path: string, parse: (text: string) => Address): Address =>
  located(path, () => parse(parseString(value, path)))

const decimalAt = (value: unknown, path: string, read = parseDecimal): Decimal => {
  const decimal = located(path, () => read(parseString(value, path)))
  return decimal < 0n ? failAt(path, 'must not be negative') : decimal
}

const coinsAt = (value: unknown, path: string, most = MAX_DENOMINATIONS, read = parseDecimal): DecCoins => {
  const coins = parseArray(value, path, most).map((item, index): DecCoin => {
    const at = `${path}[${index}]`
    const coin = parseObject(item, at, ['denom', 'amount'])
    const denom = parseString(coin['denom'], `${at}.denom`)
    if (!isDenom(denom)) failAt(`${at}.denom`, `invalid denomination ${denom.slice(0, 128)}`)
    const amount = decimalAt(coin['amount'], `${at}.amount`, read)
    return amount === 0n ? failAt(`${at}.amount`, 'must be above zero') : { denom, amount }
  })
  for (const [index, { denom }] of coins.entries()) {
    const previous = coins[index - 1]
    if (previous !== undefined && previous.denom >= denom) {
      failAt(`${path}[${index}].denom`, 'denominations must be sorted, each once')
    }
  }
  return coins
}

/** Items are parsed when they are asked for: there may be millions. */
const lazily = <T>(
  value: unknown,
  path: string,
  members: readonly string[],
  parse: (item: { readonly [key: string]: unknown }, path: string) => T,
): Iterable<T> => {
  const items = parseArray(value, path, MAX_ENTRIES)
  return {
    *[Symbol.iterator]() {
      for (const [index, item] of items.entries()) {
        const at = `${path}[${index}]`
        yield parse(parseObject(item, at, members), at)
      }
    },
  }
}

const parseParams = (value: unknown, path: string): DistributionParams => {
  if (value === undefined) return DEFAULT_PARAMS
  const members = ['community_tax', 'base_proposer_reward', 'bonus_proposer_reward', 'withdraw_addr_enabled']
  const object = parseObject(value, path, members)
  for (const gone of ['base_proposer_reward', 'bonus_proposer_reward']) {
    if (object[gone] !== undefined && decimalAt(object[gone], `${path}.${gone}`) !== 0n) {
      failAt(`${path}.${gone}`, 'proposers get no rewards of their own: must be zero')
    }
  }
  const { community_tax: tax, withdraw_addr_enabled: enabled } = object
  const communityTax = tax === undefined ? DEFAULT_PARAMS.communityTax : decimalAt(tax, `${path}.community_tax`)
  const fault = faultOfTax(communityTax)
  if (fault !== undefined) failAt(`${path}.community_tax`, fault)
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    failAt(`${path}.withdraw_addr_enabled`, 'must be true or false')
  }
  return { communityTax, withdrawAddrEnabled: enabled !== false }
}

type Members = { readonly [key: string]: unknown }

/** Lists of one item a validator; `parse` gets the item and its place. */
const ofValidators = <T>(
  object: Members,
  list: string,
  path: string,
  members: readonly string[],
  parse: (item: Members, path: string, operator: Address) => T,
): Iterable<readonly [Address, T]> =>
  lazily(object[list], `${path}.${list}`, ['validator_address', ...members], (item, at) => {
    const operator = addressAt(item['validator_address'], `${at}.validator_address`, parseOperator)
    return [operator, parse(item, at, operator)] as const
  })

/** The SDK lists the parts of a validator's record apart; here every validator has current rewards. */
const parseValidators = (object: Members, path: string): ReadonlyMap<string, ValidatorRewards> => {
  const found = new Map<string, ValidatorRewards>()
  const knownAt = (operator: Address, at: string): ValidatorRewards =>
    found.get(bytesToKey(operator)) ?? failAt(`${at}.validator_address`, 'has no entry in validator_current_rewards')
  const records = ofValidators(object, 'validator_current_rewards', path, ['rewards'], (item, at, operator) => {
    const rewards = parseObject(item['rewards'], `${at}.rewards`, ['rewards', 'period'])
    const period = parseInteger(rewards['period'], `${at}.rewards.period`)
    if (period === 0) failAt(`${at}.rewards.period`, 'must be above zero')
    if (found.has(bytesToKey(operator))) failAt(`${at}.validator_address`, 'duplicate validator')
    const current = coinsAt(rewards['rewards'], `${at}.rewards.rewards`)
    return { period, current, commission: NO_COINS, outstanding: NO_COINS, lastSlash: 0 }
  })
  for (const [operator, record] of records) found.set(bytesToKey(operator), record)
  const commissions = ofValidators(
    object,
    'validator_accumulated_commissions',
    path,
    ['accumulated'],
    (item, at, operator) => {
      const { commission } = parseObject(item['accumulated'], `${at}.accumulated`, ['commission'])
      return { ...knownAt(operator, at), commission: coinsAt(commission, `${at}.accumulated.commission`) }
    },
  )
  for (const [operator, record] of commissions) found.set(bytesToKey(operator), record)
  const all = ofValidators(object, 'outstanding_rewards', path, ['outstanding_rewards'], (item, at, operator) => ({
    ...knownAt(operator, at),
    outstanding: coinsAt(item['outstanding_rewards'], `${at}.outstanding_rewards`),
  }))
  for (const [operator, record] of all) found.set(bytesToKey(operator), record)
  return found
}

const parseHistorical = (item: Members, at: string) => {
  const members = ['cumulative_reward_ratio', 'reference_count']
  const rewards = parseObject(item['rewards'], `${at}.rewards`, members)
  const references = parseInteger(rewards['reference_count'], `${at}.rewards.reference_count`)
  if (references < 1 || references > 2) failAt(`${at}.rewards.reference_count`, 'must be 1 or 2')
  // The sum of all rewards that ever were: who gives a token's whole supply and withdraws it gives it again.
  const path = `${at}.rewards.cumulative_reward_ratio`
  const ratio = coinsAt(rewards['cumulative_reward_ratio'], path, MAX_DENOMINATIONS, parseLongDecimal)
  return { period: parseInteger(item['period'], `${at}.period`), rewards: { ratio, references } }
}

/** The SDK's Go code calls the height `creation_height` in one of its two kinds of JSON. */
const parseStart = (item: Members, at: string) => {
  const members = ['previous_period', 'stake', 'height', 'creation_height']
  const info = parseObject(item['starting_info'], `${at}.starting_info`, members)
  const delegator = addressAt(item['delegator_address'], `${at}.delegator_address`, parseAccountAddress)
  const start = {
    previousPeriod: parseInteger(info['previous_period'], `${at}.starting_info.previous_period`),
    stake: decimalAt(info['stake'], `${at}.starting_info.stake`),
    height: parseInteger(info['height'] ?? info['creation_height'], `${at}.starting_info.height`),
  }
  return { delegator, start }
}

const parseSlash = (item: Members, at: string): GenesisSlash => {
  const path = `${at}.validator_slash_event`
  const event = parseObject(item['validator_slash_event'], path, ['validator_period', 'fraction'])
  const period = parseInteger(item['period'], `${at}.period`)
  if (parseInteger(event['validator_period'], `${path}.validator_period`) !== period) {
    failAt(`${path}.validator_period`, 'must be the period of the entry')
  }
  const fraction = decimalAt(event['fraction'], `${path}.fraction`)
  if (fraction === 0n || fraction > ONE) failAt(`${path}.fraction`, 'must be above 0 and at most 1')
  return { height: parseInteger(item['height'], `${at}.height`), period, fraction }
}

const parseAccrual = (value: unknown, path: string): Pick<DistributionGenesis, 'accumulator' | 'voters'> => {
  const object = parseObject(value ?? {}, path, ['accumulator', 'voters'])
  const accumulator = object['accumulator'] === undefined ? 0n : decimalAt(object['accumulator'], `${path}.accumulator`)
  const members = ['consensus_address', 'power', 'checkpoint']
  const seen = new Set<string>()
  const voters = lazily(object['voters'], `${path}.voters`, members, (item, at) => {
    const consensusAddress = addressAt(item['consensus_address'], `${at}.consensus_address`, parseConsensusAddress)
    if (seen.has(bytesToKey(consensusAddress))) failAt(`${at}.consensus_address`, 'duplicate voter')
    seen.add(bytesToKey(consensusAddress))
    const power = parseAmount(item['power'], `${at}.power`)
    if (power === 0n || power > MAX_UINT64) failAt(`${at}.power`, 'must be above zero, and a voting power')
    const checkpoint = decimalAt(item['checkpoint'], `${at}.checkpoint`)
    if (checkpoint > accumulator) failAt(`${at}.checkpoint`, 'must not be above the accumulator')
    return { consensusAddress, power, checkpoint }
  })
  return { accumulator, voters: [...voters] }
}

/** All of it must be whole: coins come and go in whole units. */
const sumHeld = (
  pool: DecCoins,
  validators: ReadonlyMap<string, ValidatorRewards>,
  { accumulator, voters }: Pick<DistributionGenesis, 'accumulator' | 'voters'>,
  path: string,
): DecCoins => {
  let held = pool
  for (const { outstanding } of validators.values()) held = addCoins(held, outstanding)
  let unsettled = 0n
  for (const { power, checkpoint } of voters) unsettled += power * (accumulator - checkpoint)
  if (unsettled > 0n) held = addCoins(held, [{ denom: DENOMINATION, amount: unsettled }])
  for (const { denom, amount } of held) {
    if (amount % ONE !== 0n) failAt(path, `the rewards and the community pool of ${denom} are together no whole number`)
  }
  return held
}

const MEMBERS = [
  'params',
  'fee_pool',
  'delegator_withdraw_infos',
  'previous_proposer',
  'outstanding_rewards',
  'validator_accumulated_commissions',
  'validator_historical_rewards',
  'validator_current_rewards',
  'delegator_starting_infos',
  'validator_slash_events',
  'accrual',
]

/** Throws genesis/1 with the member at fault; all lists are gone through once. */
export const parseDistributionGenesis = (genesis: unknown, path = 'app_state.distribution'): DistributionGenesis => {
  const object = parseObject(genesis ?? {}, path, MEMBERS)
  const feePool = parseObject(object['fee_pool'] ?? {}, `${path}.fee_pool`, ['community_pool'])
  // Strangers make denominations, and anybody gives of them: an export must be a genesis whatever they gave.
  const pool = coinsAt(feePool['community_pool'], `${path}.fee_pool.community_pool`, MAX_ENTRIES)
  const validators = parseValidators(object, path)
  const accrual = parseAccrual(object['accrual'], `${path}.accrual`)
  const infos = `${path}.delegator_withdraw_infos`
  const starts = ['delegator_address', 'starting_info']
  const slashes = ['height', 'period', 'validator_slash_event']
  const parsed: DistributionGenesis = {
    params: parseParams(object['params'], `${path}.params`),
    pool,
    withdrawAddresses: lazily(
      object['delegator_withdraw_infos'],
      infos,
      ['delegator_address', 'withdraw_address'],
      (item, at) => [
        addressAt(item['delegator_address'], `${at}.delegator_address`, parseAccountAddress),
        addressAt(item['withdraw_address'], `${at}.withdraw_address`, parseAccountAddress),
      ],
    ),
    validators: [...validators].map(([key, rewards]) => [keyToBytes(key), rewards] as const),
    historical: ofValidators(object, 'validator_historical_rewards', path, ['period', 'rewards'], parseHistorical),
    starts: ofValidators(object, 'delegator_starting_infos', path, starts, parseStart),
    slashes: ofValidators(object, 'validator_slash_events', path, slashes, parseSlash),
    ...accrual,
    held: sumHeld(pool, validators, accrual, path),
  }
  // Nothing is kept: there may be millions.
  for (const list of [parsed.withdrawAddresses, parsed.historical, parsed.starts, parsed.slashes])
    for (const _ of list);
  return parsed
}

/** Distribution's state as the member `distribution` of app_state: the inverse of genesis.ts. Long lists are iterables. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { readUint64 } from '../../../core/bytes.ts'
import { formatDecimal } from '../../../core/decimal.ts'
import type { StateReader } from '../../../store/state.ts'
import { formatConsensusAddress, formatOperator } from '../../validator-addresses.ts'
import { decodeHistorical, decodeSlash, decodeStart, decodeValidator, type ValidatorRewards } from '../codec.ts'
import type { DecCoins } from '../dec-coins.ts'
import { readCheckpoint, readParams, readPools, readTotals, readVoters, scan, splitKey } from '../keeper.ts'
import * as keys from '../keys.ts'
import { decodeVoters } from '../voters.ts'

const formatCoins = (coins: DecCoins) => coins.map(({ denom, amount }) => ({ denom, amount: formatDecimal(amount) }))

/** An iterable that begins anew each time. */
const each = <T>(generate: () => Generator<T>): Iterable<T> => ({ [Symbol.iterator]: generate })

const validatorsOf = <T extends object>(state: StateReader, format: (rewards: ValidatorRewards) => T) =>
  each(function* () {
    for (const [operator, value] of scan(state, keys.VALIDATORS_PREFIX)) {
      yield { validator_address: formatOperator(operator), ...format(decodeValidator(value)) }
    }
  })

const historicalOf = (state: StateReader) =>
  each(function* () {
    for (const [key, value] of scan(state, keys.HISTORICAL_PREFIX)) {
      const [operator, period] = splitKey(key)
      const { ratio, references } = decodeHistorical(value)
      yield {
        validator_address: formatOperator(operator),
        period: readUint64(period).toString(),
        rewards: { cumulative_reward_ratio: formatCoins(ratio), reference_count: references },
      }
    }
  })

const startsOf = (state: StateReader) =>
  each(function* () {
    for (const [key, value] of scan(state, keys.STARTS_PREFIX)) {
      const [operator, delegator] = splitKey(key)
      const { previousPeriod, stake, height } = decodeStart(value)
      yield {
        delegator_address: encodeBech32(delegator),
        validator_address: formatOperator(operator),
        starting_info: {
          previous_period: previousPeriod.toString(),
          stake: formatDecimal(stake),
          height: height.toString(),
        },
      }
    }
  })

const slashesOf = (state: StateReader) =>
  each(function* () {
    for (const [key, value] of scan(state, keys.SLASHES_PREFIX)) {
      const [operator, rest] = splitKey(key)
      const { height, fraction } = decodeSlash(value)
      const period = readUint64(rest).toString()
      yield {
        validator_address: formatOperator(operator),
        height: height.toString(),
        period,
        validator_slash_event: { validator_period: period, fraction: formatDecimal(fraction) },
      }
    }
  })

const withdrawAddressesOf = (state: StateReader) =>
  each(function* () {
    for (const [delegator, receiver] of scan(state, keys.WITHDRAW_ADDRESSES_PREFIX)) {
      yield { delegator_address: encodeBech32(delegator), withdraw_address: encodeBech32(receiver) }
    }
  })

const accrualOf = (state: StateReader) => ({
  accumulator: formatDecimal(readTotals(state).accumulator),
  voters: [...decodeVoters(readVoters(state))].map(({ consensusAddress, power }) => ({
    consensus_address: formatConsensusAddress(consensusAddress),
    power: power.toString(),
    checkpoint: formatDecimal(readCheckpoint(state, consensusAddress)),
  })),
})

export const exportDistribution = (state: StateReader) => {
  const { communityTax, withdrawAddrEnabled } = readParams(state)
  return {
    params: {
      community_tax: formatDecimal(communityTax),
      base_proposer_reward: formatDecimal(0n),
      bonus_proposer_reward: formatDecimal(0n),
      withdraw_addr_enabled: withdrawAddrEnabled,
    },
    fee_pool: { community_pool: formatCoins([...readPools(state)]) },
    delegator_withdraw_infos: withdrawAddressesOf(state),
    // Proposers get nothing of their own, so nobody remembers the last one.
    previous_proposer: '',
    outstanding_rewards: validatorsOf(state, ({ outstanding }) => ({ outstanding_rewards: formatCoins(outstanding) })),
    validator_accumulated_commissions: validatorsOf(state, ({ commission }) => ({
      accumulated: { commission: formatCoins(commission) },
    })),
    validator_historical_rewards: historicalOf(state),
    validator_current_rewards: validatorsOf(state, ({ current, period }) => ({
      rewards: { rewards: formatCoins(current), period: period.toString() },
    })),
    delegator_starting_infos: startsOf(state),
    validator_slash_events: slashesOf(state),
    accrual: accrualOf(state),
  }
}

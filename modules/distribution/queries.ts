/**
 * The read-only gRPC methods of cosmos.distribution.v1beta1.Query. What a validator has not settled is settled in a
 * throw-away state, so that every answer shows what a withdrawal would find.
 */
import type { Address } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { readUint64, uint64ToBytes } from '../../core/bytes.ts'
import { toDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { distributionQuery } from '../../proto/index.ts'
import { Overlay } from '../../store/overlay.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryContext, QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { unknownDelegation, unknownValidator } from '../stake-errors.ts'
import type { DelegationView, ValidatorView } from '../stake.ts'
import { formatOperator, parseOperator } from '../validator-addresses.ts'
import { settle } from './accrual.ts'
import type { ValidatorRewards } from './codec.ts'
import { toWireCoins } from './coins.ts'
import { addCoins, type DecCoins, NO_COINS } from './dec-coins.ts'
import { reckonRewards } from './delegation.ts'
import type { DistributionDependencies, RewardContext } from './deps.ts'
import { distributionError } from './errors.ts'
import {
  findHistorical,
  findStart,
  readParams,
  readPools,
  readSlashes,
  readValidator,
  readWithdrawAddress,
} from './keeper.ts'
import { surplusOf } from './treasury.ts'
import { endPeriod } from './validator.ts'

/** Most delegations of one answer, and most denominations of the pool. */
const MAX_LISTED = 1_000

const parseNamed = (text: string, what: string, parse: (text: string) => Address): Address => {
  if (text === '') throw queryRefusal('invalidArgument', `empty ${what} address`)
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid ${what} address: ${error.message}`)
  }
}
const parseDelegator = (text: string): Address => parseNamed(text, 'delegator', parseAccountAddress)
const parseValidatorAddress = (text: string): Address => parseNamed(text, 'validator', parseOperator)

/** Heights and periods beyond it do not exist. */
const toSafe = (value: bigint): number => Math.min(Number(value), Number.MAX_SAFE_INTEGER)

const bounded = <Item>(items: Iterable<Item>, what: string): readonly Item[] => {
  const out: Item[] = []
  for (const item of items) {
    if (out.length === MAX_LISTED) throw queryRefusal('invalidArgument', `more than ${MAX_LISTED} ${what}`)
    out.push(item)
  }
  return out
}

/** A state of its own: what is written there is forgotten. */
const scratch = ({ state, height }: QueryContext): RewardContext => ({
  state: new Overlay(state),
  height,
  emit: () => undefined,
})

const createViews = ({ stake }: DistributionDependencies) => {
  const validatorOf = (context: QueryContext, text: string): ValidatorView => {
    const validator = stake.validator(context.state, parseValidatorAddress(text))
    if (validator === undefined) throw unknownValidator()
    return validator
  }
  const delegationOf = (context: QueryContext, delegator: Address, { operator }: ValidatorView): DelegationView => {
    const delegation = stake.delegation(context.state, delegator, operator)
    if (delegation === undefined) throw unknownDelegation()
    return delegation
  }
  const settled = (context: QueryContext, text: string): ValidatorRewards => {
    const validator = validatorOf(context, text)
    const own = scratch(context)
    settle(own, validator)
    return readValidator(own.state, validator.operator)
  }
  const rewardsOf = (context: QueryContext, validator: ValidatorView, delegation: DelegationView): DecCoins => {
    const start = findStart(context.state, validator.operator, delegation.delegator)
    if (start === undefined) throw distributionError('noDelegationInfo')
    const own = scratch(context)
    return reckonRewards(own, validator, delegation, start, endPeriod(own, validator)).rewards
  }
  return { validatorOf, delegationOf, settled, rewardsOf }
}

type Views = ReturnType<typeof createViews>

const totalRewards = (context: QueryContext, { stake }: DistributionDependencies, views: Views, delegator: Address) => {
  let total = NO_COINS
  const rewards = bounded(stake.delegationsOf(context.state, delegator), 'delegations').flatMap((delegation) => {
    const validator = stake.validator(context.state, delegation.operator)
    if (validator === undefined) return []
    const reward = views.rewardsOf(context, validator, delegation)
    total = addCoins(total, reward)
    return [{ validatorAddress: formatOperator(validator.operator), reward: toWireCoins(reward) }]
  })
  return { rewards, total: toWireCoins(total) }
}

/** The SDK compares these heights with numbers of periods; here they are heights. */
const slashesOf = ({ state }: QueryContext, request: distributionQuery.QueryValidatorSlashesRequest) => {
  const operator = parseValidatorAddress(request.validatorAddress)
  const { startingHeight, endingHeight } = request
  if (endingHeight < startingHeight) {
    const words = `starting height greater than ending height (${startingHeight} > ${endingHeight})`
    throw queryRefusal('invalidArgument', words)
  }
  const { items, pagination } = takePage(
    request.pagination,
    function* (start) {
      if (start !== undefined && start.length !== 8) throw queryRefusal('invalidArgument', 'invalid pagination key')
      for (const slash of readSlashes(state, operator, start === undefined ? 0 : toSafe(BigInt(readUint64(start))))) {
        if (BigInt(slash.height) > endingHeight) return
        if (BigInt(slash.height) >= startingHeight) yield slash
      }
    },
    ({ period }) => uint64ToBytes(period),
  )
  const slashes = items.map(({ period, fraction }) => ({
    validatorPeriod: BigInt(period),
    fraction: fraction.toString(),
  }))
  return { slashes, pagination }
}

const poolOf = ({ state }: QueryContext, dependencies: DistributionDependencies) => {
  const surplus = surplusOf(state, dependencies)
  const pushed = surplus > 0n ? [{ denom: DENOMINATION, amount: toDecimal(surplus) }] : NO_COINS
  return { pool: toWireCoins(addCoins(bounded(readPools(state), 'denominations'), pushed)) }
}

const paramsOf = ({ state }: QueryContext) => {
  const { communityTax, withdrawAddrEnabled } = readParams(state)
  return {
    params: {
      communityTax: communityTax.toString(),
      baseProposerReward: '0',
      bonusProposerReward: '0',
      withdrawAddrEnabled,
    },
  }
}

const historicalOf = (
  { state }: QueryContext,
  { validatorAddress, period }: distributionQuery.QueryValidatorHistoricalRewardsRequest,
) => {
  const found = findHistorical(state, parseValidatorAddress(validatorAddress), toSafe(period))
  return {
    rewards: {
      cumulativeRewardRatio: toWireCoins(found?.ratio ?? NO_COINS),
      referenceCount: found?.references ?? 0,
    },
  }
}

const startOf = (context: QueryContext, views: Views, request: distributionQuery.QueryDelegatorStartingInfoRequest) => {
  const delegator = parseDelegator(request.delegatorAddress)
  const validator = views.validatorOf(context, request.validatorAddress)
  views.delegationOf(context, delegator, validator)
  const start = findStart(context.state, validator.operator, delegator)
  if (start === undefined) throw distributionError('noDelegationInfo')
  const { previousPeriod, stake, height } = start
  return {
    startingInfo: { previousPeriod: BigInt(previousPeriod), stake: stake.toString(), height: BigInt(height) },
  }
}

export const distributionQueries = (dependencies: DistributionDependencies): readonly QueryHandler[] => {
  const { method } = distributionQuery.Query
  const views = createViews(dependencies)
  const { stake } = dependencies
  return [
    handleQuery(method.params, paramsOf),
    handleQuery(method.validatorDistributionInfo, (context, { validatorAddress }) => {
      const validator = views.validatorOf(context, validatorAddress)
      const delegation = views.delegationOf(context, validator.operator, validator)
      return {
        // The operator's account, as the SDK has it.
        operatorAddress: encodeBech32(validator.operator),
        selfBondRewards: toWireCoins(views.rewardsOf(context, validator, delegation)),
        commission: toWireCoins(views.settled(context, validatorAddress).commission),
      }
    }),
    handleQuery(method.validatorOutstandingRewards, (context, { validatorAddress }) => ({
      rewards: { rewards: toWireCoins(views.settled(context, validatorAddress).outstanding) },
    })),
    handleQuery(method.validatorCommission, (context, { validatorAddress }) => ({
      commission: { commission: toWireCoins(views.settled(context, validatorAddress).commission) },
    })),
    handleQuery(method.validatorSlashes, slashesOf),
    handleQuery(method.delegationRewards, (context, request) => {
      const delegator = parseDelegator(request.delegatorAddress)
      const validator = views.validatorOf(context, request.validatorAddress)
      const delegation = views.delegationOf(context, delegator, validator)
      return { rewards: toWireCoins(views.rewardsOf(context, validator, delegation)) }
    }),
    handleQuery(method.delegationTotalRewards, (context, { delegatorAddress }) =>
      totalRewards(context, dependencies, views, parseDelegator(delegatorAddress)),
    ),
    handleQuery(method.delegatorValidators, ({ state }, { delegatorAddress }) => {
      const delegations = bounded(stake.delegationsOf(state, parseDelegator(delegatorAddress)), 'delegations')
      return { validators: delegations.map(({ operator }) => formatOperator(operator)) }
    }),
    handleQuery(method.delegatorWithdrawAddress, ({ state }, { delegatorAddress }) => ({
      withdrawAddress: encodeBech32(readWithdrawAddress(state, parseDelegator(delegatorAddress))),
    })),
    handleQuery(method.communityPool, (context) => poolOf(context, dependencies)),
    handleQuery(method.validatorHistoricalRewards, historicalOf),
    handleQuery(method.validatorCurrentRewards, (context, { validatorAddress }) => {
      const { current, period } = views.settled(context, validatorAddress)
      return { rewards: { rewards: toWireCoins(current), period: BigInt(period) } }
    }),
    handleQuery(method.delegatorStartingInfo, (context, request) => startOf(context, views, request)),
  ]
}

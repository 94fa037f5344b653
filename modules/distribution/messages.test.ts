import { describe, expect, it } from 'vitest'
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { ONE, parseDecimal, toDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { distributionQuery, distributionTx } from '../../proto/index.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { Event } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { MAX_REWARD_DENOMINATIONS } from './messages/deposit-validator-rewards-pool.ts'
import { parseDistributionGenesis } from './genesis/parse.ts'
import { addToPool, DISTRIBUTION_ADDRESS, readPool, writeWithdrawAddress } from './keeper.ts'
import { delegatorOf, operatorOf } from './testing/fake-staking.ts'
import { GIVER, makeWorld, plainJson, vote, type World } from './testing/world.ts'

const { method: tx } = distributionTx.Msg
const { method: query } = distributionQuery.Query
const [ALICE, BOB] = [delegatorOf(1), delegatorOf(2)]
const bech = (address: Address): string => encodeBech32(address)
const AUTHORITY = bech(GOVERNANCE_ADDRESS)
const coins = (amount: bigint, denom = 'anat') => [{ denom, amount: amount.toString() }]

const refusal = (call: () => unknown): readonly [string, number, string] => {
  try {
    call()
  } catch (error) {
    if (error instanceof CodedError) return [error.codespace, error.code, error.message]
    throw error
  }
  return ['', 0, '']
}

const shown = (events: readonly Event[]) =>
  events.map(({ type, attributes }) => [type, ...attributes.map(({ key, value }) => `${key}=${value}`)])

/** A validator with half of all as commission, and 98 anat of rewards unsettled. */
const began = (): World => {
  const world = makeWorld()
  world.pass()
  world.createValidator(0, 100n, ONE / 2n)
  world.beginBlock(100n, [vote(0, 1n)])
  world.events.length = 0
  return world
}
const VALIDATOR = formatOperator(operatorOf(0))
const OWNER = bech(operatorOf(0))
const MODULE = bech(DISTRIBUTION_ADDRESS)

const moved = (from: string, to: string, amount: string) => [
  ['coin_spent', `spender=${from}`, `amount=${amount}`],
  ['coin_received', `receiver=${to}`, `amount=${amount}`],
  ['transfer', `recipient=${to}`, `sender=${from}`, `amount=${amount}`],
  ['message', `sender=${from}`],
]

describe('withdrawals', () => {
  it('settle first, then pay, and say both as the SDK does', () => {
    const world = began()
    const { amount } = world.run(tx.withdrawDelegatorReward, { delegatorAddress: OWNER, validatorAddress: VALIDATOR })
    expect(amount).toMatchObject([{ denom: 'anat', amount: '49' }])
    expect(shown(world.events)).toEqual([
      ['commission', 'amount=49.000000000000000000anat', `validator=${VALIDATOR}`],
      ['rewards', 'amount=98.000000000000000000anat', `validator=${VALIDATOR}`],
      ...moved(MODULE, OWNER, '49anat'),
      ['withdraw_rewards', 'amount=49anat', `validator=${VALIDATOR}`, `delegator=${OWNER}`],
    ])
    world.events.length = 0
    world.run(tx.withdrawValidatorCommission, { validatorAddress: VALIDATOR })
    expect(shown(world.events)).toEqual([...moved(MODULE, OWNER, '49anat'), ['withdraw_commission', 'amount=49anat']])
    world.events.length = 0
    world.pass()
    world.run(tx.withdrawDelegatorReward, { delegatorAddress: OWNER, validatorAddress: VALIDATOR })
    expect(shown(world.events)).toEqual([
      ['withdraw_rewards', 'amount=0anat', `validator=${VALIDATOR}`, `delegator=${OWNER}`],
    ])
    expect(world.faults()).toEqual([])
  })

  it('begin blocks move fees with the events of a transfer', () => {
    const world = began()
    world.beginBlock(10n, [vote(0, 1n)])
    const collector = world.events[0]?.attributes[0]?.value ?? ''
    expect(shown(world.events)).toEqual(moved(collector, MODULE, '10anat'))
  })

  it('go to the withdraw address', () => {
    const world = began()
    world.run(tx.setWithdrawAddress, { delegatorAddress: OWNER, withdrawAddress: bech(BOB) })
    expect(shown(world.events)).toEqual([['set_withdraw_address', `withdraw_address=${bech(BOB)}`]])
    expect(world.ask(query.delegatorWithdrawAddress, { delegatorAddress: OWNER }).withdrawAddress).toBe(bech(BOB))
    world.run(tx.withdrawDelegatorReward, { delegatorAddress: OWNER, validatorAddress: VALIDATOR })
    world.run(tx.withdrawValidatorCommission, { validatorAddress: VALIDATOR })
    expect(world.ledger.balance(world.state, BOB, 'anat')).toBe(98n)
    const before = world.values().length
    world.run(tx.setWithdrawAddress, { delegatorAddress: OWNER, withdrawAddress: OWNER })
    expect(world.values().length).toBe(before - 1)
  })

  it('are refused with the codes of the SDK', () => {
    const world = began()
    const { run } = world
    const reward = (delegatorAddress: string, validatorAddress: string) =>
      refusal(() => run(tx.withdrawDelegatorReward, { delegatorAddress, validatorAddress }))
    expect(reward('nat1x', VALIDATOR).slice(0, 2)).toEqual(['sdk', 7])
    expect(reward(OWNER, OWNER).slice(0, 2)).toEqual(['sdk', 7])
    expect(reward(OWNER, formatOperator(operatorOf(9)))).toEqual(['staking', 3, 'validator does not exist'])
    expect(reward(bech(ALICE), VALIDATOR).slice(0, 2)).toEqual(['staking', 19])
    const commission = (validatorAddress: string) =>
      refusal(() => run(tx.withdrawValidatorCommission, { validatorAddress }))
    expect(commission('')).toMatchObject(['sdk', 7, expect.stringContaining('invalid validator address')])
    expect(commission(formatOperator(operatorOf(9)))).toEqual([
      'distribution',
      7,
      'no validator commission to withdraw',
    ])
    const direct = (withdrawAddress: string) =>
      refusal(() => run(tx.setWithdrawAddress, { delegatorAddress: OWNER, withdrawAddress }))
    expect(direct('x')).toMatchObject(['sdk', 7, expect.stringContaining('invalid withdraw address')])
    expect(direct(MODULE)).toEqual(['sdk', 4, `${MODULE} is not allowed to receive external funds: unauthorized`])
    run(tx.updateParams, {
      authority: AUTHORITY,
      params: { communityTax: '0', baseProposerReward: '', bonusProposerReward: '', withdrawAddrEnabled: false },
    })
    expect(direct(bech(BOB))).toEqual(['distribution', 8, 'set withdraw address disabled'])
  })

  it('TestWithdrawDelegationRewards_BlockedWithdrawAddress (keeper_test.go): a blocked one is refused', () => {
    const world = began()
    writeWithdrawAddress(world.state, operatorOf(0), BOB)
    world.blocked.add(bytesToKey(BOB))
    const words = `${bech(BOB)} is not allowed to receive funds: unauthorized`
    const message = { delegatorAddress: OWNER, validatorAddress: VALIDATOR }
    expect(refusal(() => world.run(tx.withdrawDelegatorReward, message))).toEqual(['sdk', 4, words])
    expect(refusal(() => world.run(tx.withdrawValidatorCommission, message))).toEqual(['sdk', 4, words])
  })

  it('pay for the slashes that they go through', () => {
    const world = began()
    for (let slash = 0; slash < 3; slash++) {
      world.pass()
      world.stake.slash(world.context, operatorOf(0), ONE / 10n)
    }
    world.pass()
    world.run(tx.withdrawDelegatorReward, { delegatorAddress: OWNER, validatorAddress: VALIDATOR })
    expect(world.context.gas).toBe(18_000n)
  })
})

describe('hooks_test.go', () => {
  it.each([
    ['not blocked', [], 'wanted'],
    ['blocked', ['wanted'], 'owner'],
    ['blocked, and the owner too', ['wanted', 'owner'], 'pool'],
  ] as const)('TestBeforeDelegationSharesModified: the withdraw address is %s', (_, blocked, receiver) => {
    const world = began()
    const [owner, wanted] = [operatorOf(0), BOB]
    writeWithdrawAddress(world.state, owner, wanted)
    for (const name of blocked) world.blocked.add(bytesToKey(name === 'owner' ? owner : wanted))
    const pool = readPool(world.state, 'anat')
    world.stake.delegate(world.context, owner, owner, 5n)
    const balances = {
      wanted: world.ledger.balance(world.state, wanted, 'anat'),
      owner: world.ledger.balance(world.state, owner, 'anat'),
      pool: (readPool(world.state, 'anat') - pool) / ONE,
    }
    expect(balances).toEqual({ wanted: 0n, owner: 0n, pool: 0n, [receiver]: 49n })
    const redirections = shown(world.events.filter(({ type }) => type === 'withdraw_addr_redirected'))
    const to = receiver === 'owner' ? OWNER : 'community_pool'
    const event = ['withdraw_addr_redirected', `original_withdraw_address=${bech(wanted)}`, `withdraw_address=${to}`]
    expect(redirections).toEqual(
      receiver === 'wanted' ? [] : [[...event, `validator=${VALIDATOR}`, `delegator=${OWNER}`]],
    )
    expect(world.faults()).toEqual([])
  })

  it.each([
    ['not blocked', [], 'wanted'],
    ['blocked', ['wanted'], 'owner'],
    ['blocked, and the owner too', ['wanted', 'owner'], 'pool'],
  ] as const)(
    'TestAfterValidatorRemoved: the commission is paid when the withdraw address is %s',
    (_, blocked, receiver) => {
      const world = began()
      const [owner, wanted] = [operatorOf(0), BOB]
      world.stake.undelegate(world.context, owner, owner, toDecimal(100n))
      const paid = world.ledger.balance(world.state, owner, 'anat')
      const pool = readPool(world.state, 'anat')
      writeWithdrawAddress(world.state, owner, wanted)
      for (const name of blocked) world.blocked.add(bytesToKey(name === 'owner' ? owner : wanted))
      world.stake.remove(world.context, owner)
      expect({
        wanted: world.ledger.balance(world.state, wanted, 'anat'),
        owner: world.ledger.balance(world.state, owner, 'anat') - paid,
        pool: (readPool(world.state, 'anat') - pool) / ONE,
      }).toEqual({ wanted: 0n, owner: 0n, pool: 0n, [receiver]: 49n })
      // Parameters, totals, the pool and the withdraw address are left: nothing of the validator.
      expect(world.values().map(([key]) => key[0])).toEqual([1, 2, 5, 6])
      expect(world.faults()).toEqual([])
    },
  )
})

describe('the community pool', () => {
  it('is funded, spent by governance alone, and never more than there is', () => {
    const world = began()
    const { run, ask } = world
    world.give(ALICE, 10n)
    world.give(ALICE, 7n, 'zzz')
    run(tx.fundCommunityPool, { depositor: bech(ALICE), amount: [...coins(10n), ...coins(7n, 'zzz')] })
    expect(world.context.gas).toBe(20_000n)
    expect(ask(query.communityPool, {}).pool).toMatchObject([
      { denom: 'anat', amount: toDecimal(12n).toString() },
      { denom: 'zzz', amount: toDecimal(7n).toString() },
    ])
    const spend = (authority: string, amount: bigint, recipient = bech(BOB)) =>
      refusal(() => run(tx.communityPoolSpend, { authority, recipient, amount: coins(amount) }))
    expect(spend(bech(ALICE), 1n).slice(0, 2)).toEqual(['sdk', 4])
    expect(spend(AUTHORITY, 1n, MODULE).slice(0, 2)).toEqual(['sdk', 4])
    expect(spend(AUTHORITY, 0n).slice(0, 2)).toEqual(['sdk', 10])
    expect(spend(AUTHORITY, 13n).slice(0, 2)).toEqual(['distribution', 9])
    expect(spend(AUTHORITY, 12n)).toEqual(['', 0, ''])
    expect(world.ledger.balance(world.state, BOB, 'anat')).toBe(12n)
    const fund = (amount: ReturnType<typeof coins>) =>
      refusal(() => run(tx.fundCommunityPool, { depositor: bech(ALICE), amount }))
    expect(fund([])).toEqual(['sdk', 10, 'amount cannot be nil: invalid coins'])
    expect(fund(coins(99n)).slice(0, 2)).toEqual(['sdk', 5])
    expect(fund([...coins(1n, 'zzz'), ...coins(1n, 'aaa')]).slice(0, 2)).toEqual(['sdk', 10])
    expect(world.faults()).toEqual([])
  })

  it('owns what contracts push into the account: shown at once, swept with the next fees', () => {
    const world = began()
    world.give(DISTRIBUTION_ADDRESS, 40n)
    const pool = () => world.ask(query.communityPool, {}).pool[0]?.amount
    expect(pool()).toBe(toDecimal(42n).toString())
    world.beginBlock(0n, [vote(0, 1n)])
    expect(readPool(world.state, 'anat')).toBe(toDecimal(2n))
    world.beginBlock(100n, [vote(0, 1n)])
    expect(readPool(world.state, 'anat')).toBe(toDecimal(44n))
    expect(pool()).toBe(toDecimal(44n).toString())
    world.give(DISTRIBUTION_ADDRESS, 6n)
    world.run(tx.communityPoolSpend, { authority: AUTHORITY, recipient: bech(BOB), amount: coins(50n) })
    expect(world.ask(query.communityPool, {}).pool).toEqual([])
    expect(world.faults()).toEqual([])
  })
})

describe('MsgDepositValidatorRewardsPool', () => {
  it('carries any denomination, but no validator gets more than sixteen with anat', () => {
    const world = began()
    const deposit = (denom: string, validatorAddress = VALIDATOR) =>
      refusal(() => {
        world.give(GIVER, 10n, denom)
        world.run(tx.depositValidatorRewardsPool, {
          depositor: bech(GIVER),
          validatorAddress,
          amount: coins(10n, denom),
        })
      })
    for (let index = 1; index < MAX_REWARD_DENOMINATIONS; index++) expect(deposit(`coin${index}`)[1]).toBe(0)
    expect(deposit('onemore').slice(0, 2)).toEqual(['sdk', 18])
    world.run(tx.withdrawDelegatorReward, { delegatorAddress: OWNER, validatorAddress: VALIDATOR })
    world.run(tx.withdrawValidatorCommission, { validatorAddress: VALIDATOR })
    // All are paid, and still in the ratio that later periods build upon.
    expect(deposit('onemore').slice(0, 2)).toEqual(['sdk', 18])
    expect(deposit('coin3', formatOperator(operatorOf(9))).slice(0, 2)).toEqual(['staking', 3])
    expect(world.faults()).toEqual([])
  })
})

describe('MsgUpdateParams', () => {
  const valid = { communityTax: '0', baseProposerReward: '', bonusProposerReward: '', withdrawAddrEnabled: true }
  const scaled = (text: string): string => parseDecimal(text).toString()

  it.each([
    ['success', { ...valid, communityTax: scaled('0.1') }, 0],
    ['negative community tax', { ...valid, communityTax: scaled('-0.1') }, 18],
    ['community tax greater than 1', { ...valid, communityTax: scaled('1.1') }, 18],
    ['community tax nil', { ...valid, communityTax: '' }, 18],
    ['a reward of proposers', { ...valid, baseProposerReward: '1' }, 18],
    ['no number', { ...valid, communityTax: '0.1' }, 18],
  ])('TestParams_ValidateBasic (params_test.go) and the message server: %s', (_, params, code) => {
    const { run, ask } = began()
    expect(refusal(() => run(tx.updateParams, { authority: AUTHORITY, params }))[1]).toBe(code)
    expect(ask(query.params, {}).params).toMatchObject({
      communityTax: code === 0 ? params.communityTax : scaled('0.02'),
      baseProposerReward: '0',
      bonusProposerReward: '0',
      withdrawAddrEnabled: true,
    })
  })

  it('TestUpdateParamsAuthority (msg_server_test.go): nobody but governance', () => {
    const { run } = began()
    expect(refusal(() => run(tx.updateParams, { authority: bech(ALICE), params: valid })).slice(0, 2)).toEqual([
      'sdk',
      4,
    ])
    expect(refusal(() => run(tx.updateParams, { authority: '', params: valid })).slice(0, 2)).toEqual(['sdk', 7])
  })
})

describe('queries', () => {
  it('show what settling now would give, and write nothing', () => {
    const world = began()
    const before = world.values()
    const { ask } = world
    const anat = (amount: bigint) => [{ denom: 'anat', amount: toDecimal(amount).toString() }]
    expect(ask(query.validatorDistributionInfo, { validatorAddress: VALIDATOR })).toMatchObject({
      operatorAddress: OWNER,
      selfBondRewards: anat(49n),
      commission: anat(49n),
    })
    expect(ask(query.delegationTotalRewards, { delegatorAddress: OWNER })).toMatchObject({
      rewards: [{ validatorAddress: VALIDATOR, reward: anat(49n) }],
      total: anat(49n),
    })
    expect(ask(query.delegatorValidators, { delegatorAddress: OWNER }).validators).toEqual([VALIDATOR])
    expect(ask(query.validatorCurrentRewards, { validatorAddress: VALIDATOR }).rewards).toMatchObject({
      rewards: anat(49n),
      period: 2n,
    })
    expect(world.values()).toEqual(before)
  })

  it('TestQueryValidatorHistoricalRewards, TestQueryDelegatorStartingInfo (grpc_query_test.go)', () => {
    const world = began()
    world.stake.delegate(world.context, ALICE, operatorOf(0), 100n)
    world.stake.delegate(world.context, BOB, operatorOf(0), 100n)
    const periodOf = (period: bigint) =>
      world.ask(query.validatorHistoricalRewards, { validatorAddress: VALIDATOR, period }).rewards
    expect(periodOf(1n)).toMatchObject({ referenceCount: 1, cumulativeRewardRatio: [] })
    expect(periodOf(0n)).toMatchObject({ referenceCount: 0 })
    const [ratio] = periodOf(3n)?.cumulativeRewardRatio ?? []
    expect(ratio).toMatchObject({ denom: 'anat', amount: parseDecimal('0.49').toString() })
    expect(periodOf(999n)).toMatchObject({ referenceCount: 0, cumulativeRewardRatio: [] })
    const start = (delegator: string, validator = VALIDATOR) =>
      world.ask(query.delegatorStartingInfo, { delegatorAddress: delegator, validatorAddress: validator }).startingInfo
    expect(start(OWNER)).toMatchObject({ previousPeriod: 1n, height: 1n, stake: toDecimal(100n).toString() })
    expect(refusal(() => start('')).slice(0, 3)).toEqual(['grpc', 3, 'empty delegator address'])
    expect(refusal(() => start(OWNER, '')).slice(0, 3)).toEqual(['grpc', 3, 'empty validator address'])
    expect(refusal(() => start('invalid')).slice(0, 2)).toEqual(['grpc', 3])
    expect(refusal(() => start(OWNER, formatOperator(operatorOf(9))))[2]).toContain('validator does not exist')
  })

  it('list the slashes between two heights, page by page', () => {
    const world = began()
    for (let slash = 0; slash < 5; slash++) {
      world.pass(10)
      world.stake.slash(world.context, operatorOf(0), ONE / 10n)
    }
    const list = (startingHeight: bigint, endingHeight: bigint, key: Uint8Array = new Uint8Array(0), limit = 2n) =>
      world.ask(query.validatorSlashes, {
        validatorAddress: VALIDATOR,
        startingHeight,
        endingHeight,
        pagination: { key, limit },
      })
    const first = list(0n, 2n ** 64n - 1n)
    expect(first.slashes).toMatchObject([{ fraction: parseDecimal('0.1').toString() }, {}])
    const second = list(0n, 100n, first.pagination?.nextKey)
    expect(second.slashes.map(({ validatorPeriod }) => validatorPeriod)).toEqual([4n, 5n])
    expect(list(12n, 32n, undefined, 10n).slashes.length).toBe(3)
    expect(list(2n ** 64n - 1n, 2n ** 64n - 1n).slashes).toEqual([])
    expect(refusal(() => list(3n, 2n)).slice(0, 2)).toEqual(['grpc', 3])
  })

  it('serve every method of the service', () => {
    expect(makeWorld().module.queries.map(({ path }) => path.split('/')[2])).toEqual(
      distributionQuery.Query.methods.map(({ name }) => name),
    )
    expect(makeWorld().module.messages.map(({ typeUrl }) => typeUrl.slice(1))).toEqual(
      distributionTx.Msg.methods.map(({ input }) => input.typeName),
    )
  })
})

describe('genesis', () => {
  const refused = (genesis: unknown): string => refusal(() => makeWorld(genesis))[2]

  it('has the defaults of the SDK, and names the member that is wrong', () => {
    const world = makeWorld()
    expect(plainJson(world.module.exportGenesis(world.context))).toMatchObject({
      params: {
        community_tax: '0.020000000000000000',
        base_proposer_reward: '0.000000000000000000',
        bonus_proposer_reward: '0.000000000000000000',
        withdraw_addr_enabled: true,
      },
      fee_pool: { community_pool: [] },
      outstanding_rewards: [],
    })
    expect(world.values().length).toBe(1)
    expect(refused({ params: { community_tax: '1.5' } })).toContain('app_state.distribution.params.community_tax')
    expect(refused({ fee_pool: { community_pool: [{ denom: 'anat', amount: '1.5' }] } })).toContain('no whole number')
    expect(refused({ fee_pool: { community_pool: [{ denom: 'anat', amount: '1' }] } })).toContain('balance')
    expect(refused({ pool: 1 })).toContain('app_state.distribution.pool')
    const voter = { consensus_address: VALIDATOR, power: '1', checkpoint: '0' }
    expect(refused({ accrual: { voters: [voter] } })).toContain('accrual.voters[0].consensus_address')
    const outstanding_rewards = [{ validator_address: VALIDATOR, outstanding_rewards: [] }]
    expect(refused({ outstanding_rewards })).toContain('outstanding_rewards[0].validator_address')
  })

  it('takes back a community pool of as many denominations as strangers gave of', () => {
    const world = makeWorld()
    const community_pool = Array.from({ length: 1_500 }, (_, index) => `coin${1_000 + index}`).map((denom) => ({
      denom,
      amount: '1.000000000000000000',
    }))
    for (const { denom } of community_pool) addToPool(world.context.state, [{ denom, amount: ONE }])
    const { fee_pool } = plainJson(world.module.exportGenesis(world.context)) as { fee_pool: unknown }
    expect(fee_pool).toEqual({ community_pool })
    expect(parseDistributionGenesis({ fee_pool }).pool).toHaveLength(1_500)
  })

  it('takes back ratios above the bound of decimals, which anybody reaches by giving and withdrawing again', () => {
    const most = 2n ** 256n - 1n
    const denom = 'erc20/gold'
    const world = makeWorld()
    world.pass()
    world.createValidator(0, 1n, 0n)
    world.give(operatorOf(0), most, denom)
    for (let index = 0; index < 3; index++) {
      world.pass()
      const amount = coins(most, denom)
      world.run(tx.depositValidatorRewardsPool, { depositor: OWNER, validatorAddress: VALIDATOR, amount })
      world.run(tx.withdrawDelegatorReward, { delegatorAddress: OWNER, validatorAddress: VALIDATOR })
    }
    expect(world.faults()).toEqual([])
    const exported = JSON.parse(JSON.stringify(plainJson(world.module.exportGenesis(world.context)))) as object
    const ratio = `${3n * most}.000000000000000000`
    expect(exported).toMatchObject({
      validator_historical_rewards: [{ rewards: { cumulative_reward_ratio: [{ denom, amount: ratio }] } }],
    })
    const again = makeWorld(exported)
    expect(again.values()).toEqual(world.values())
    expect(plainJson(again.module.exportGenesis(again.context))).toEqual(exported)
    // What is owed stays below the bound.
    const outstanding_rewards = [{ validator_address: VALIDATOR, outstanding_rewards: [{ denom, amount: ratio }] }]
    expect(refused({ ...exported, outstanding_rewards })).toContain('out of range')
  })

  it.each([
    ['delegator_withdraw_infos', { delegator_address: 'nonsense', withdraw_address: 7 }, '.delegator_address: '],
    ['validator_historical_rewards', { validator_address: VALIDATOR, period: -1 }, '.rewards: '],
    ['delegator_starting_infos', {}, '.validator_address: '],
    ['validator_slash_events', 'x', ': '],
  ])('is refused as soon as it is read where %s are wrong', (list, item, at) => {
    const [codespace, code, message] = refusal(() => parseDistributionGenesis({ [list]: [item] }))
    expect([codespace, code]).toEqual(['genesis', 1])
    expect(message).toContain(`app_state.distribution.${list}[0]${at}`)
  })
})

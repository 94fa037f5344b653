import { expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { ONE } from '../../core/decimal.ts'
import { distributionTx } from '../../proto/index.ts'
import { formatOperator } from '../validator-addresses.ts'
import { findStart, writeStart } from './keeper.ts'
import { delegatorOf, operatorOf } from './testing/fake-staking.ts'
import { GIVER, makeWorld } from './testing/world.ts'

const tx = distributionTx.Msg.method

it('what rounding gives a delegator too much is not taken from the commission: its withdrawal would stop the chain', () => {
  const world = makeWorld()
  const operator = operatorOf(0)
  world.createValidator(0, 1n, ONE / 2n)
  world.pass()
  world.stake.delegate(world.context, delegatorOf(0), operator, 1n)
  world.give(GIVER, 1_000n)
  world.run(tx.depositValidatorRewardsPool, {
    depositor: encodeBech32(GIVER),
    validatorAddress: formatOperator(operator),
    amount: [{ denom: 'anat', amount: '1000' }],
  })
  world.pass()
  // A slash between, after which the stake that counts before it is looked at no more; here it is half too large.
  const start = findStart(world.state, operator, delegatorOf(0))
  if (start === undefined) throw new RangeError('the delegation has a start')
  writeStart(world.state, operator, delegatorOf(0), { ...start, stake: (start.stake * 3n) / 2n })
  world.stake.slash(world.context, operator, ONE / 2n)
  const withdraw = (delegator: Uint8Array) =>
    world.run(tx.withdrawDelegatorReward, {
      delegatorAddress: encodeBech32(delegator),
      validatorAddress: formatOperator(operator),
    }).amount
  expect(withdraw(delegatorOf(0))).toEqual([expect.objectContaining({ amount: '375' })])
  expect(withdraw(operator)).toEqual([expect.objectContaining({ amount: '125' })])
  const paid = world.run(tx.withdrawValidatorCommission, { validatorAddress: formatOperator(operator) })
  expect(paid.amount).toEqual([expect.objectContaining({ amount: '500' })])
  expect(world.faults()).toEqual([])
})

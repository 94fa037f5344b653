/** Events of staking, as the SDK's x/staking emits them. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { type Decimal, formatDecimal } from '../../core/decimal.ts'
import { formatSeconds } from '../../core/time.ts'
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { formatCommission } from './commission.ts'
import type { Trio } from './keeper/redelegations.ts'
import type { Validator } from './validator.ts'

/** The event of a slash that blocks went on with: what the validator itself has lost. */
export const slashCompleted = (operator: Address, burned: bigint): Event =>
  makeEvent('complete_slash', { validator: formatOperator(operator), burned_coins: burned.toString() })

/** An empty list of coins is empty text: what was slashed to nothing pays nothing. */
const formatSum = (amount: bigint, denomination: string): string => (amount === 0n ? '' : `${amount}${denomination}`)

export const completeUnbonding = (amount: bigint, denomination: string, operator: Address, delegator: Address): Event =>
  makeEvent('complete_unbonding', {
    amount: formatSum(amount, denomination),
    validator: formatOperator(operator),
    delegator: encodeBech32(delegator),
  })

export const completeRedelegation = (amount: bigint, denomination: string, trio: Trio): Event =>
  makeEvent('complete_redelegation', {
    amount: formatSum(amount, denomination),
    delegator: encodeBech32(trio.delegator),
    source_validator: formatOperator(trio.source),
    destination_validator: formatOperator(trio.destination),
  })

export const validatorCreated = (operator: Address, coin: string): Event =>
  makeEvent('create_validator', { validator: formatOperator(operator), amount: coin })

export const validatorEdited = (validator: Validator): Event =>
  makeEvent('edit_validator', {
    commission_rate: formatCommission(validator),
    min_self_delegation: validator.minSelfDelegation.toString(),
  })

export const delegated = (operator: Address, delegator: Address, coin: string, shares: Decimal): Event =>
  makeEvent('delegate', {
    validator: formatOperator(operator),
    delegator: encodeBech32(delegator),
    amount: coin,
    new_shares: formatDecimal(shares),
  })

export const redelegated = ({ delegator, source, destination }: Trio, coin: string, completionTimeNs: bigint): Event =>
  makeEvent('redelegate', {
    source_validator: formatOperator(source),
    destination_validator: formatOperator(destination),
    delegator: encodeBech32(delegator),
    amount: coin,
    completion_time: formatSeconds(completionTimeNs),
  })

export const undelegated = (operator: Address, delegator: Address, coin: string, completionTimeNs: bigint): Event =>
  makeEvent('unbond', {
    validator: formatOperator(operator),
    delegator: encodeBech32(delegator),
    amount: coin,
    completion_time: formatSeconds(completionTimeNs),
  })

export const unbondingCancelled = (
  operator: Address,
  delegator: Address,
  coin: string,
  creationHeight: bigint,
): Event =>
  makeEvent('cancel_unbonding_delegation', {
    amount: coin,
    validator: formatOperator(operator),
    delegator: encodeBech32(delegator),
    creation_height: creationHeight.toString(),
  })

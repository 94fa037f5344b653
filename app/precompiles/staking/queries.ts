/** What the staking precompile tells. What is not there is answered with zeros, as in cosmos/evm. */
import { formatOperator } from '../../../modules/validator-addresses.ts'
import { stakingQuery } from '../../../proto/index.ts'
import { address, array, string, uint256 } from '../abi/types.ts'
import { refuseCall } from '../errors.ts'
import { query } from '../precompile.ts'
import { coin, fromPage, isZeroAddress, pageRequest, pageResponse, requireAddress, toCoin, toPage } from '../shapes.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import {
  NO_VALIDATOR,
  redelegation as redelegationShape,
  redelegationResponse,
  toRedelegation,
  toRedelegationResponse,
  toUnbonding,
  toValidator,
  unbondingDelegation as unbondingShape,
  validator as validatorShape,
} from './shapes.ts'

const { method } = stakingQuery.Query

const delegation = query(
  'delegation',
  { delegatorAddress: address, validatorAddress: string },
  { shares: uint256, balance: coin },
  (scope, { delegatorAddress, validatorAddress }) => {
    const request = { delegatorAddr: requireAddress(delegatorAddress, 'delegator'), validatorAddr: validatorAddress }
    const found = scope.find(method.delegation, request)?.delegationResponse
    const { delegation: held, balance } = found ?? {}
    if (held !== undefined && balance !== undefined) return { shares: BigInt(held.shares), balance: toCoin(balance) }
    const denom = scope.query(method.params, {}).params?.bondDenom ?? ''
    return { shares: 0n, balance: { denom, amount: 0n } }
  },
)

const unbondingDelegation = query(
  'unbondingDelegation',
  { delegatorAddress: address, validatorAddress: string },
  { unbondingDelegation: unbondingShape },
  (scope, { delegatorAddress, validatorAddress }) => {
    const request = { delegatorAddr: requireAddress(delegatorAddress, 'delegator'), validatorAddr: validatorAddress }
    return { unbondingDelegation: toUnbonding(scope.find(method.unbondingDelegation, request)?.unbond) }
  },
)

const validator = query(
  'validator',
  { validatorAddress: address },
  { validator: validatorShape },
  (scope, { validatorAddress }) => {
    requireAddress(validatorAddress, 'validator')
    const found = scope.find(method.validator, { validatorAddr: formatOperator(validatorAddress) })?.validator
    return { validator: found === undefined ? NO_VALIDATOR : toValidator(found) }
  },
)

const validators = query(
  'validators',
  { status: string, pageRequest },
  { validators: array(validatorShape), pageResponse },
  (scope, { status, pageRequest: page }) => {
    const answer = scope.query(method.validators, { status, pagination: fromPage(page) })
    return { validators: answer.validators.map(toValidator), pageResponse: toPage(answer.pagination) }
  },
)

const redelegation = query(
  'redelegation',
  { delegatorAddress: address, srcValidatorAddress: string, dstValidatorAddress: string },
  { redelegation: redelegationShape },
  (scope, { delegatorAddress, srcValidatorAddress, dstValidatorAddress }) => {
    const delegatorAddr = requireAddress(delegatorAddress, 'delegator')
    const found = scope.find(method.redelegations, {
      delegatorAddr,
      srcValidatorAddr: srcValidatorAddress,
      dstValidatorAddr: dstValidatorAddress,
    })
    return { redelegation: toRedelegation(found?.redelegationResponses[0]) }
  },
)

const redelegations = query(
  'redelegations',
  { delegatorAddress: address, srcValidatorAddress: string, dstValidatorAddress: string, pageRequest },
  { response: array(redelegationResponse), pageResponse },
  (scope, { delegatorAddress, srcValidatorAddress, dstValidatorAddress, pageRequest: page }) => {
    const isAnybody = isZeroAddress(delegatorAddress)
    if (isAnybody && srcValidatorAddress === '') {
      throw refuseCall('invalid query. Need to specify at least a source validator address or delegator address')
    }
    const answer = scope.query(method.redelegations, {
      delegatorAddr: isAnybody ? '' : encodeBech32(delegatorAddress),
      srcValidatorAddr: srcValidatorAddress,
      dstValidatorAddr: dstValidatorAddress,
      pagination: fromPage(page),
    })
    return {
      response: answer.redelegationResponses.map(toRedelegationResponse),
      pageResponse: toPage(answer.pagination),
    }
  },
)

export const stakingQueries = [
  delegation,
  unbondingDelegation,
  validator,
  validators,
  redelegation,
  redelegations,
] as const

/** MsgCreateValidator: an operator brings a key and a first delegation of its own. */
import { stakingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { consensusAddressOf } from '../../validator-addresses.ts'
import { checkMinimumRate, parseCommissionRates } from '../commission.ts'
import { delegate } from '../keeper/delegations.ts'
import type { StakingDependencies } from '../deps.ts'
import { parseDescription } from '../description.ts'
import { stakingError } from '../errors.ts'
import { validatorCreated } from '../events.ts'
import { callHooks } from '../hooks.ts'
import { readStakingParams } from '../keeper/params.ts'
import { checkPublicKey, parsePublicKey } from '../public-key.ts'
import type { Validator } from '../validator.ts'
import { createValidator, readOperatorOf, readValidator } from '../keeper/validators.ts'
import { checkBondDenomination, parseAmountField, parseMinSelfDelegation, parseOperatorField } from './fields.ts'

const parse = (message: stakingTx.MsgCreateValidator) => {
  const operator = parseOperatorField(message.validatorAddress)
  const publicKey = parsePublicKey(message.pubkey)
  const value = parseAmountField(message.value, 'invalid delegation amount')
  const description = parseDescription(message.description)
  const commission = parseCommissionRates(message.commission)
  const minSelfDelegation = parseMinSelfDelegation(message.minSelfDelegation)
  if (value.amount < minSelfDelegation) throw stakingError('selfDelegationBelowMinimum')
  return { operator, publicKey, value, description, commission, minSelfDelegation }
}

const newValidator = (
  { operator, publicKey, description, commission, minSelfDelegation }: ReturnType<typeof parse>,
  timeNs: bigint,
): Validator => ({
  operator,
  publicKey,
  consensusAddress: consensusAddressOf(publicKey),
  status: 'unbonded',
  isJailed: false,
  tokens: 0n,
  shares: 0n,
  minSelfDelegation,
  description,
  commissionRate: commission.rate,
  maxCommissionRate: commission.maxRate,
  maxCommissionChangeRate: commission.maxChangeRate,
  commissionTimeNs: timeNs,
  unbondingHeight: 0,
  unbondingTimeNs: 0n,
  unbondingIds: [],
})

export const createCreateValidator = (dependencies: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.createValidator, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const parsed = parse(message)
      const { operator, value } = parsed
      const { state } = context
      if (!dependencies.mayCreateValidator(state, operator)) {
        throw sdkError('unauthorized', dependencies.admissionRefusal)
      }
      checkMinimumRate(parsed.commission.rate, readStakingParams(state).minCommissionRate)
      if (readValidator(state, operator) !== undefined) throw stakingError('operatorExists')
      const validator = newValidator(parsed, context.timeNs)
      if (readOperatorOf(state, validator.consensusAddress) !== undefined) throw stakingError('publicKeyExists')
      checkPublicKey(validator.publicKey)
      checkBondDenomination(state, value)
      createValidator(state, validator)
      callHooks(dependencies, 'afterValidatorCreated', context, operator)
      delegate(dependencies, context, operator, validator, value.amount, 'account')
      context.emit(validatorCreated(operator, value.text))
      return {}
    },
  })

/** MsgUnjail: a jailed validator comes back when its time is over (x/slashing/keeper/unjail.go). */
import type { Address } from '../../../core/address.ts'
import { divide, truncate } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { slashingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { DelegationView, ValidatorView } from '../../stake.ts'
import { unknownDelegation, unknownValidator } from '../../stake-errors.ts'
import { parseOperator } from '../../validator-addresses.ts'
import type { SlashingDependencies } from '../deps.ts'
import { slashingError } from '../errors.ts'
import { readSigningInfo } from '../keeper/signing-info.ts'

const parse = ({ validatorAddr }: slashingTx.MsgUnjail): Address => {
  try {
    return parseOperator(validatorAddr)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `validator input address: ${error.message}`)
  }
}

const checkSelfDelegation = (validator: ValidatorView, own: DelegationView | undefined): void => {
  if (own === undefined) throw unknownDelegation()
  const tokens = truncate(divide(own.shares * validator.tokens, validator.shares))
  if (tokens < validator.minSelfDelegation) {
    throw slashingError('selfDelegationTooLow', `${tokens} less than ${validator.minSelfDelegation}`)
  }
}

export const createUnjail = ({ stake, punisher }: SlashingDependencies): MessageHandler =>
  handleMessage(slashingTx.Msg.method.unjail, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { state, timeNs } = context
      const operator = parse(message)
      const validator = stake.validator(state, operator)
      if (validator === undefined) throw unknownValidator()
      checkSelfDelegation(validator, stake.delegation(state, operator, operator))
      if (!validator.isJailed) throw slashingError('notJailed')
      // Without an info it was never bonded: jailed for too little of its own, it may come back at any time.
      const info = readSigningInfo(state, validator.consensusAddress)
      if (info !== undefined && (info.tombstoned || timeNs < info.jailedUntilNs)) throw slashingError('stillJailed')
      punisher.unjail(context, validator.consensusAddress)
      return {}
    },
  })

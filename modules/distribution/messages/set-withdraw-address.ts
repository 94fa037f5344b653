/** MsgSetWithdrawAddress: where a delegator's rewards and an operator's commission go. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { distributionTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { DistributionDependencies } from '../deps.ts'
import { distributionError } from '../errors.ts'
import { withdrawAddressSet } from '../events.ts'
import { readParams, writeWithdrawAddress } from '../keeper.ts'
import { parseAccount } from './parties.ts'

const parse = (message: distributionTx.MsgSetWithdrawAddress) => ({
  delegator: parseAccount(message.delegatorAddress, 'delegator'),
  receiver: parseAccount(message.withdrawAddress, 'withdraw'),
})

export const createSetWithdrawAddress = ({ ledger }: DistributionDependencies): MessageHandler =>
  handleMessage(distributionTx.Msg.method.setWithdrawAddress, {
    checkStateless: (message) => void parse(message),
    execute: ({ state, emit }, message) => {
      const { delegator, receiver } = parse(message)
      if (ledger.isBlockedReceiver(receiver)) {
        throw sdkError('unauthorized', `${encodeBech32(receiver)} is not allowed to receive external funds`)
      }
      if (!readParams(state).withdrawAddrEnabled) throw distributionError('withdrawAddressDisabled')
      emit(withdrawAddressSet(receiver))
      writeWithdrawAddress(state, delegator, receiver)
      return {}
    },
  })

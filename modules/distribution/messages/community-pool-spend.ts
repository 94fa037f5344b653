/** MsgCommunityPoolSpend: governance pays somebody from the community pool. */
import { toDecimal } from '../../../core/decimal.ts'
import { distributionTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { consumeCoinGas, parseCoins } from '../coins.ts'
import type { DistributionDependencies } from '../deps.ts'
import { distributionError } from '../errors.ts'
import { readPool, writePool } from '../keeper.ts'
import { pay, sweepSurplus } from '../treasury.ts'
import { parseAccount } from './parties.ts'

const parse = (message: distributionTx.MsgCommunityPoolSpend) => {
  checkAuthority(message.authority)
  return { recipient: parseAccount(message.recipient, 'recipient'), coins: parseCoins(message.amount) }
}

export const createCommunityPoolSpend = (dependencies: DistributionDependencies): MessageHandler =>
  handleMessage(distributionTx.Msg.method.communityPoolSpend, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { recipient, coins } = parse(message)
      const { state } = context
      if (dependencies.ledger.isBlockedReceiver(recipient)) {
        throw sdkError('unauthorized', `${message.recipient} is not allowed to receive external funds`)
      }
      consumeCoinGas(context, coins)
      sweepSurplus(context, dependencies)
      for (const { denom, amount } of coins) {
        const left = readPool(state, denom) - toDecimal(amount)
        if (left < 0n) throw distributionError('poolTooSmall')
        writePool(state, { denom, amount: left })
      }
      pay(context, dependencies, recipient, coins)
      return {}
    },
  })

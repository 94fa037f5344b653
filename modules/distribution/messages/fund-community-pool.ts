/** MsgFundCommunityPool: a gift to the community pool. */
import type { Address } from '../../../core/address.ts'
import { distributionTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { Coin, LedgerContext } from '../../ledger.ts'
import type { MessageHandler } from '../../module.ts'
import { consumeCoinGas, parseCoins } from '../coins.ts'
import { toDecCoins } from '../dec-coins.ts'
import type { DistributionDependencies } from '../deps.ts'
import { addToPool } from '../keeper.ts'
import { collect } from '../treasury.ts'
import { parseAccount } from './parties.ts'

/** `coins` are sorted, each denomination once, all positive. Throws sdk/5. */
export const fundCommunityPool = (
  context: LedgerContext,
  dependencies: DistributionDependencies,
  from: Address,
  coins: readonly Coin[],
): void => {
  collect(context, dependencies, from, coins)
  addToPool(context.state, toDecCoins(coins))
}

const parse = (message: distributionTx.MsgFundCommunityPool) => ({
  depositor: parseAccount(message.depositor, 'depositor'),
  coins: parseCoins(message.amount),
})

export const createFundCommunityPool = (dependencies: DistributionDependencies): MessageHandler =>
  handleMessage(distributionTx.Msg.method.fundCommunityPool, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { depositor, coins } = parse(message)
      consumeCoinGas(context, coins)
      fundCommunityPool(context, dependencies, depositor, coins)
      return {}
    },
  })

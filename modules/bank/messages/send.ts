/** MsgSend: coins from one account to another. A contract gets them without code running. */
import { bankTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { parseCoins } from '../coins.ts'
import type { BankDependencies } from '../deps.ts'
import { consumeTransferGas } from '../gas.ts'
import { checkSendEnabled } from '../send-enabled.ts'
import { sendCoins } from '../transfer.ts'
import { checkReceiver, parseParty } from './receiver.ts'

const parse = ({ fromAddress, toAddress, amount }: bankTx.MsgSend) => ({
  from: parseParty(fromAddress, 'from'),
  to: parseParty(toAddress, 'to'),
  coins: parseCoins(amount),
})

export const createSend = (dependencies: BankDependencies): MessageHandler =>
  handleMessage(bankTx.Msg.method.send, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { from, to, coins } = parse(message)
      checkSendEnabled(context.state, coins)
      checkReceiver(to, message.toAddress, dependencies)
      consumeTransferGas(context, coins.length - 1)
      sendCoins(context, from, to, coins)
      return {}
    },
  })

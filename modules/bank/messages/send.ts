/** MsgSend: coins from one account to another. A contract gets them without code running. */
import type { Address } from '../../../core/address.ts'
import { bankTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { Coin } from '../../ledger.ts'
import type { MessageHandler } from '../../module.ts'
import { parseCoins } from '../coins.ts'
import type { BankDependencies } from '../deps.ts'
import { consumeTransferGas } from '../gas.ts'
import { checkSendEnabled } from '../send-enabled.ts'
import { sendCoins } from '../transfer.ts'
import { checkReceiver, parseParty } from './receiver.ts'

interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly coins: readonly Coin[]
}

/** By the message, which nobody changes: it is parsed when it comes, and executed in a block or two of candidates. */
const parsed = new WeakMap<bankTx.MsgSend, Transfer>()

const parse = (message: bankTx.MsgSend): Transfer => {
  const known = parsed.get(message)
  if (known !== undefined) return known
  const { fromAddress, toAddress, amount } = message
  const transfer = {
    from: parseParty(fromAddress, 'from'),
    to: parseParty(toAddress, 'to'),
    coins: parseCoins(amount),
  }
  parsed.set(message, transfer)
  return transfer
}

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

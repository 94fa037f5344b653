/** MsgSend: coins from one account to another. A contract gets them without code running. */
import type { Address } from '../../../core/address.ts'
import { bankTx } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { Coin } from '../../ledger.ts'
import type { MessageHandler } from '../../module.ts'
import { parseCoins } from '../coins.ts'
import type { BankDependencies } from '../deps.ts'
import { consumeTransferGas } from '../gas.ts'
import { checkSendEnabled } from '../keeper/send-enabled.ts'
import { sendCoins } from '../transfer.ts'
import { checkReceiver, parseParty } from './receiver.ts'

interface Transfer {
  readonly from: Address
  readonly to: Address
  /** The receiver as the message names it. */
  readonly toText: string
  readonly coins: readonly Coin[]
}

const parse = ({ fromAddress, toAddress, amount }: bankTx.MsgSend): Transfer => ({
  from: parseParty(fromAddress, 'from'),
  to: parseParty(toAddress, 'to'),
  toText: toAddress,
  coins: parseCoins(amount),
})

export const createSend = (dependencies: BankDependencies): MessageHandler =>
  handleParsed(bankTx.Msg.method.send, {
    parse,
    execute: (context, { from, to, toText, coins }) => {
      checkSendEnabled(context.state, coins)
      checkReceiver(to, toText, dependencies)
      consumeTransferGas(context, coins.length - 1)
      sendCoins(context, from, to, coins)
      return {}
    },
  })

/** MsgDeposit and MsgWithdraw. */
import { erc20Tx } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { type Conversion, deposit, withdraw } from '../convert.ts'
import type { Erc20Dependencies } from '../deps.ts'
import { parseParty, parsePositive, parseToken } from '../forms.ts'

interface ConversionMessage {
  readonly sender: string
  readonly token: string
  readonly amount: string
  readonly receiver: string
}

/** Throws sdk/7 and sdk/18. */
const parse = ({ sender: senderText, token, amount, receiver }: ConversionMessage): Conversion => {
  const sender = parseParty(senderText, 'sender')
  return {
    sender,
    receiver: receiver === '' ? sender : parseParty(receiver, 'receiver'),
    token: parseToken(token),
    amount: parsePositive(amount),
  }
}

export const conversionMessages = (dependencies: Erc20Dependencies): readonly MessageHandler[] => [
  handleParsed(erc20Tx.Msg.method.deposit, {
    parse,
    execute: (context, conversion) => ({ credited: deposit(context, dependencies, conversion).toString() }),
  }),
  handleParsed(erc20Tx.Msg.method.withdraw, {
    parse,
    execute: (context, conversion) => {
      withdraw(context, dependencies, conversion)
      return {}
    },
  }),
]

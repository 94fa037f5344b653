/** MsgRegisterView: anybody may, for there are as many views as denominations at most. */
import { bytesToHex } from '../../../core/hex.ts'
import { erc20Tx } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { Erc20Dependencies } from '../deps.ts'
import { parseParty } from '../forms.ts'
import { registerView, viewFault } from '../view.ts'

export const createRegisterView = (dependencies: Erc20Dependencies): MessageHandler =>
  handleParsed(erc20Tx.Msg.method.registerView, {
    parse: ({ sender, denom }) => {
      parseParty(sender, 'sender')
      const fault = viewFault(denom)
      if (fault !== undefined) throw sdkError('invalidRequest', fault)
      return denom
    },
    execute: (context, denom) => ({ address: bytesToHex(registerView(context, dependencies, denom)) }),
  })

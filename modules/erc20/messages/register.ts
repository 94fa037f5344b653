/** MsgRegisterToken: anybody may, for a fee. */
import { erc20Tx } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import type { Erc20Dependencies } from '../deps.ts'
import { parseParty, parseToken, tokenForm } from '../forms.ts'
import { registerToken } from '../register.ts'

export const createRegisterToken = (dependencies: Erc20Dependencies): MessageHandler =>
  handleParsed(erc20Tx.Msg.method.registerToken, {
    parse: ({ sender, token }) => ({ sender: parseParty(sender, 'sender'), token: parseToken(token) }),
    execute: (context, { sender, token }) => ({
      // Nothing is owed of a token that was not known.
      token: tokenForm(registerToken(context, dependencies, sender, token), 0n),
    }),
  })

/** MsgUpdateParams: whether denominations without an entry of their own may be sent. */
import { bankTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { writeDefaultSendEnabled } from '../keeper/send-enabled.ts'

export const UPDATE_PARAMS: MessageHandler = handleMessage(bankTx.Msg.method.updateParams, {
  checkStateless: ({ authority, params }) => {
    checkAuthority(authority)
    // Left out, they would stop every transfer.
    if (params === undefined) throw sdkError('invalidRequest', 'all parameters must be present')
    if (params.sendEnabled.length > 0) {
      throw sdkError('invalidRequest', 'use of send_enabled in params is no longer supported')
    }
  },
  execute: ({ state }, { params }) => {
    writeDefaultSendEnabled(state, params?.defaultSendEnabled === true)
    return {}
  },
})

/** MsgUpdateParams: governance replaces all parameters at once. */
import { slashingTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { changeParams } from '../change-params.ts'
import { parseParams } from '../params.ts'

export const updateParams: MessageHandler = handleMessage(slashingTx.Msg.method.updateParams, {
  checkStateless: ({ authority, params }) => {
    checkAuthority(authority)
    parseParams(params)
  },
  execute: ({ state, height }, { params }) => {
    changeParams(state, height, parseParams(params))
    return {}
  },
})

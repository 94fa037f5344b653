/** MsgCancelUpgrade: governance drops the plan. Without one nothing happens, as in the SDK. */
import { upgradeTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { readPlan, writePlan } from '../keeper.ts'

export const cancelUpgrade: MessageHandler = handleMessage(upgradeTx.Msg.method.cancelUpgrade, {
  checkStateless: ({ authority }) => checkAuthority(authority),
  execute: ({ state }) => {
    if (readPlan(state) !== undefined) writePlan(state, undefined)
    return {}
  },
})

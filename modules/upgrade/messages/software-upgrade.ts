/** MsgSoftwareUpgrade: governance sets the plan, in place of one that is there. */
import { upgradeTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { readAppliedHeight, writePlan } from '../keeper.ts'
import { parsePlan } from '../plan.ts'

export const softwareUpgrade: MessageHandler = handleMessage(upgradeTx.Msg.method.softwareUpgrade, {
  checkStateless: ({ authority, plan }) => {
    checkAuthority(authority)
    parsePlan(plan)
  },
  execute: ({ state, height }, message) => {
    const plan = parsePlan(message.plan)
    // This block's own height is allowed, as in the SDK: the plan is due in the next one.
    if (plan.height < height) throw sdkError('invalidRequest', 'upgrade cannot be scheduled in the past')
    if (readAppliedHeight(state, plan.name) !== undefined) {
      throw sdkError('invalidRequest', `upgrade with name ${plan.name} has already been completed`)
    }
    writePlan(state, plan)
    return {}
  },
})

/** MsgUpdateParams: governance sets every parameter at once. */
import { stakingTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { StakingDependencies } from '../deps.ts'
import { fromWireParams } from '../params.ts'
import { writeStakingParams } from '../keeper/params.ts'
import { noteIndexChange } from '../keeper/validators.ts'

const parse = ({ authority, params }: stakingTx.MsgUpdateParams) => {
  checkAuthority(authority)
  return fromWireParams(params)
}

export const createUpdateParams = ({ maxValidatorsFault }: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.updateParams, {
    checkStateless: (message) => void parse(message),
    execute: ({ state }, message) => {
      const params = parse(message)
      const fault = maxValidatorsFault(state, params.maxValidators)
      if (fault !== undefined) throw sdkError('invalidRequest', fault)
      writeStakingParams(state, params)
      noteIndexChange(state)
      return {}
    },
  })

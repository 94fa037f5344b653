/** MsgUpdateParams: governance sets every parameter at once. */
import { stakingTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { fromWireParams, writeStakingParams } from '../params.ts'
import { noteIndexChange } from '../validators.ts'

const parse = ({ authority, params }: stakingTx.MsgUpdateParams) => {
  checkAuthority(authority)
  return fromWireParams(params)
}

export const UPDATE_PARAMS: MessageHandler = handleMessage(stakingTx.Msg.method.updateParams, {
  checkStateless: (message) => void parse(message),
  execute: ({ state }, message) => {
    writeStakingParams(state, parse(message))
    noteIndexChange(state)
    return {}
  },
})

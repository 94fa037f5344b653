/** MsgUpdateParams: the fee market from the next block on. */
import { feeMarketTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { writeFeeMarket } from '../keeper.ts'
import { fromWire } from '../wire.ts'

export const UPDATE_PARAMS: MessageHandler = handleMessage(feeMarketTx.Msg.method.updateParams, {
  checkStateless: ({ authority, params }) => {
    checkAuthority(authority)
    fromWire(params)
  },
  execute: ({ state }, { params }) => {
    writeFeeMarket(state, fromWire(params))
    return {}
  },
})

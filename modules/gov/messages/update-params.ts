/** MsgUpdateParams: governance changes its own parameters, all at once. */
import { govTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { writeParams } from '../keeper/proposals.ts'
import { type GovParams, paramsFromProto } from '../params.ts'

/** Throws sdk/18. */
const parse = ({ params }: govTx.MsgUpdateParams): GovParams =>
  paramsFromProto(params ?? {}, (message) => {
    throw sdkError('invalidRequest', message)
  })

export const createUpdateParams = (): MessageHandler =>
  handleMessage(govTx.Msg.method.updateParams, {
    checkStateless: (message) => {
      checkAuthority(message.authority)
      parse(message)
    },
    execute: ({ state }, message) => {
      writeParams(state, parse(message))
      return {}
    },
  })

/** MsgUpdateParams: governance changes how much a block may weigh, from the next block on. */
import { weightTx } from '../../proto/index.ts'
import { checkAuthority } from '../authority.ts'
import { handleMessage } from '../handlers.ts'
import type { MessageHandler } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { writeMaxBlockWeight } from './keeper.ts'
import { maxBlockWeightFault } from './params.ts'

/** Throws sdk/18. */
const parse = ({ params }: weightTx.MsgUpdateParams): number => {
  if (params === undefined) throw sdkError('invalidRequest', 'params are missing')
  const weight = Number(params.maxBlockWeight)
  const fault = maxBlockWeightFault(weight)
  if (fault !== undefined) throw sdkError('invalidRequest', fault)
  return weight
}

export const WEIGHT_MESSAGES: readonly MessageHandler[] = [
  handleMessage(weightTx.Msg.method.updateParams, {
    checkStateless: (message) => {
      checkAuthority(message.authority)
      parse(message)
    },
    execute: ({ state }, message) => {
      writeMaxBlockWeight(state, parse(message))
      return {}
    },
  }),
]

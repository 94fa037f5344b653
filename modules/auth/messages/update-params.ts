/** MsgUpdateParams: what native transactions may hold and what they cost, from the next transaction on. */
import { authTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { writeAuthParameters } from '../keeper.ts'
import { type AuthParameters, parametersFault } from '../params.ts'

const read = ({ params }: authTx.MsgUpdateParams): AuthParameters => {
  if (params === undefined) throw sdkError('invalidRequest', 'all parameters must be present')
  const { maxMemoCharacters, txSigLimit, txSizeCostPerByte, sigVerifyCostEd25519, sigVerifyCostSecp256k1 } = params
  const parameters = {
    maxMemoCharacters,
    txSigLimit,
    txSizeCostPerByte,
    sigVerifyCostEd25519,
    sigVerifyCostSecp256k1,
  }
  const fault = parametersFault(parameters)
  if (fault !== undefined) throw sdkError('invalidRequest', fault)
  return parameters
}

export const UPDATE_PARAMS: MessageHandler = handleMessage(authTx.Msg.method.updateParams, {
  checkStateless: (message) => {
    checkAuthority(message.authority)
    read(message)
  },
  execute: ({ state }, message) => {
    writeAuthParameters(state, read(message))
    return {}
  },
})

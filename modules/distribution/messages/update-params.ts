/** MsgUpdateParams: governance sets the community tax and whether withdraw addresses can be set. */
import { type Decimal, parseScaledDecimal } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { distributionTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { writeParams } from '../keeper.ts'
import { type DistributionParams, faultOfTax } from '../params.ts'

const parseField = (text: string, name: string): Decimal => {
  try {
    return parseScaledDecimal(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidRequest', `${name}: ${error.message}`)
  }
}

const parse = ({ authority, params }: distributionTx.MsgUpdateParams): DistributionParams => {
  checkAuthority(authority)
  if (params === undefined) throw sdkError('invalidRequest', 'params are missing')
  for (const gone of [params.baseProposerReward, params.bonusProposerReward]) {
    if (gone === '' || parseField(gone, 'proposer reward') === 0n) continue
    const words = 'cannot update base or bonus proposer reward because these are deprecated fields'
    throw sdkError('invalidRequest', words)
  }
  if (params.communityTax === '') throw sdkError('invalidRequest', 'community tax must be not nil')
  const communityTax = parseField(params.communityTax, 'community tax')
  const fault = faultOfTax(communityTax)
  if (fault !== undefined) throw sdkError('invalidRequest', fault)
  return { communityTax, withdrawAddrEnabled: params.withdrawAddrEnabled }
}

export const updateParams: MessageHandler = handleMessage(distributionTx.Msg.method.updateParams, {
  checkStateless: (message) => void parse(message),
  execute: ({ state }, message) => {
    writeParams(state, parse(message))
    return {}
  },
})

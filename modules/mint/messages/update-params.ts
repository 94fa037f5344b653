/** MsgUpdateParams: governance sets the parameters of inflation, all at once. */
import { type Decimal, parseScaledDecimal } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { mintTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { writeParams } from '../keeper.ts'
import { faultOfParams, type MintParams } from '../params.ts'

/** A supply has at most 256 bits. */
const AMOUNT = /^(?:0|-?[1-9][0-9]{0,77})$/

const parseRate = (text: string, name: string): Decimal => {
  if (text === '') throw sdkError('invalidRequest', `${name} cannot be nil`)
  try {
    return parseScaledDecimal(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidRequest', `${name}: ${error.message}`)
  }
}

const parseSupply = (text: string): bigint => {
  // Clients that do not know the field yet leave it out.
  if (text === '') return 0n
  if (!AMOUNT.test(text)) throw sdkError('invalidRequest', `invalid max supply: ${text.slice(0, 100)}`)
  return BigInt(text)
}

const parse = ({ authority, params }: mintTx.MsgUpdateParams): MintParams => {
  checkAuthority(authority)
  if (params === undefined) throw sdkError('invalidRequest', 'params are missing')
  const parsed: MintParams = {
    mintDenom: params.mintDenom,
    inflationRateChange: parseRate(params.inflationRateChange, 'inflation rate change'),
    inflationMax: parseRate(params.inflationMax, 'max inflation'),
    inflationMin: parseRate(params.inflationMin, 'min inflation'),
    goalBonded: parseRate(params.goalBonded, 'goal bonded'),
    blocksPerYear: params.blocksPerYear,
    maxSupply: parseSupply(params.maxSupply),
  }
  const fault = faultOfParams(parsed)
  if (fault !== undefined) throw sdkError('invalidRequest', fault)
  return parsed
}

export const updateParams: MessageHandler = handleMessage(mintTx.Msg.method.updateParams, {
  checkStateless: (message) => void parse(message),
  execute: ({ state }, message) => {
    writeParams(state, parse(message))
    return {}
  },
})

/** MsgUpdateParams: governance changes the parameters of the order book, from the next block on. */
import { clobMsg } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import type { ClobDependencies } from '../deps.ts'
import type { ClobParameters } from '../domain/settings.ts'
import { clobError } from '../errors.ts'
import { parseParameters } from '../forms/market.ts'
import { writeParameters } from '../keeper/index.ts'
import { parametersFault } from '../params.ts'

/** Throws sdk/7, sdk/4 and clob/27. */
const parse = ({ authority, params }: clobMsg.MsgUpdateParams): ClobParameters => {
  checkAuthority(authority)
  if (params === undefined) throw clobError('parameters', 'params are missing')
  const parameters = parseParameters(params)
  const fault = parametersFault(parameters)
  if (fault !== undefined) throw clobError('parameters', fault)
  return parameters
}

export const createUpdateParams = ({ blockRoomFault }: Pick<ClobDependencies, 'blockRoomFault'>): MessageHandler =>
  handleParsed(clobMsg.Msg.method.updateParams, {
    parse,
    execute: ({ state }, parameters) => {
      // Whatever budget is within its bounds leaves orders their share where a block has this room, and only there.
      const fault = blockRoomFault(state)
      if (fault !== undefined) throw clobError('parameters', fault)
      writeParameters(state, parameters)
      return {}
    },
  })

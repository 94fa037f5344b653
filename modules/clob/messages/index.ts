/** Messages of nat.clob.v1.Msg. */
import type { MessageHandler } from '../../module.ts'
import type { ClobDependencies } from '../deps.ts'
import { createCreateMarket } from './create-market.ts'
import { SET_AGENT } from './set-agent.ts'
import { UPDATE_MARKET } from './update-market.ts'
import { createUpdateParams } from './update-params.ts'

export const clobMessages = (dependencies: ClobDependencies): readonly MessageHandler[] => [
  SET_AGENT,
  createCreateMarket(dependencies),
  UPDATE_MARKET,
  createUpdateParams(dependencies),
]

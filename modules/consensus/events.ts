/** Events of the consensus module. */
import type { consensusTx } from '../../proto/index.ts'
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'
import { formatUpdate } from './format-update.ts'

export const parametersUpdated = (message: consensusTx.MsgUpdateParams): Event =>
  makeEvent('update_consensus_params', { authority: message.authority, parameters: formatUpdate(message) })

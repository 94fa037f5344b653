/** Events of tally. */
import { makeEvent } from '../../../modules/events.ts'
import type { Event } from '../../../modules/module.ts'

export const added = (sender: string, amount: bigint): Event =>
  makeEvent('tally_add', { sender, amount: amount.toString() })

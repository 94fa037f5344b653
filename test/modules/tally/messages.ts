/** MsgAdd: anybody adds to the sum. */
import { handleParsed } from '../../../modules/handlers.ts'
import type { MessageHandler } from '../../../modules/module.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import { Msg } from '../../fixtures/tally/tally_pb.ts'
import { added } from './events.ts'
import { readMaxStep, readTotal, writeTotal } from './keeper.ts'

const MAX_TOTAL = 2n ** 53n - 1n

export const TALLY_MESSAGES: readonly MessageHandler[] = [
  handleParsed(Msg.method.add, {
    parse: ({ sender, amount }) => {
      if (amount === 0n) throw sdkError('invalidRequest', 'amount must not be zero')
      return { sender, amount }
    },
    execute: ({ state, emit }, { sender, amount }) => {
      const most = readMaxStep(state)
      if (amount > most) throw sdkError('invalidRequest', `amount ${amount} is above max_step ${most}`)
      const { total, blocks } = readTotal(state)
      if (total + amount > MAX_TOTAL) throw sdkError('invalidRequest', 'the sum would be too large')
      writeTotal(state, { total: total + amount, blocks })
      emit(added(sender, amount))
      return {}
    },
  }),
]

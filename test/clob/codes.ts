/** The model's words beside the names and numbers that the chain gives the same things. */
import { CLOB_ERRORS } from '../../modules/clob/errors.ts'
import type { Reason } from './model/records.ts'

/** The name in the table of errors, by the model's word, where it is another one. */
const CODE_NAMES: Readonly<Record<string, string>> = {
  malformed: 'notInPlan',
  halted: 'marketHalted',
  mode: 'notInUniform',
  tooLarge: 'amountTooLarge',
  minNotional: 'belowMinNotional',
  band: 'outsideBand',
  clientId: 'clientIdTaken',
  openOrders: 'accountOrders',
  marketOpenOrders: 'accountMarketOrders',
  marketFull: 'marketOrders',
  bookFull: 'bookOrders',
  funds: 'insufficientFunds',
  notFilled: 'cannotFill',
  notOpen: 'orderNotFound',
  floors: 'tooManyFloors',
  maxFills: 'maxFillsMet',
}

/** The numbers of removed records in docs/clob-spec.md. */
const REASON_NUMBERS: Readonly<Record<Reason, number>> = {
  cancelled: 1,
  cancelledAll: 2,
  expired: 3,
  switchPassed: 4,
  selfTrade: 5,
  decremented: 6,
  notResting: 7,
  maxFills: 8,
  triggered: 9,
  crossing: 10,
  displaced: 11,
}

export const reasonNumber = (reason: Reason): number => REASON_NUMBERS[reason]
export const nameOf = (word: string): string => CODE_NAMES[word] ?? word

/** The number in codespace clob; 0 is success. */
export const codeNumber = (word: string): number => {
  if (word === '') return 0
  const codes: Readonly<Record<string, number>> = CLOB_ERRORS.codes
  const code = codes[nameOf(word)]
  if (code === undefined) throw new RangeError(`the table of errors has no ${nameOf(word)}`)
  return code
}

import { defineMethod, optionalParameter } from '../method.ts'
import { decodeBoolean } from '../parameters/go-json.ts'

export const newPendingTransactionFilter = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  cost: 5,
  parameters: [optionalParameter(decodeBoolean)],
  answer: ({ ask }, full) => ask('newPendingTransactionFilter', { full: full === true }),
})

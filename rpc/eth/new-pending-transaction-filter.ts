import { defineClientMethod, optionalParameter } from '../method.ts'
import { decodeBoolean } from '../parameters/go-json.ts'

export const newPendingTransactionFilter = defineClientMethod({
  name: 'eth_newPendingTransactionFilter',
  hasEffect: true,
  cost: 5,
  parameters: [optionalParameter(decodeBoolean)],
  answer: ({ ask }, client, full) => ask('newPendingTransactionFilter', { full: full === true, client }),
})

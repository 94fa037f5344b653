/** The filter yields hashes; the flag for full objects is read and has no effect. */
import { defineMethod, optionalParameter } from '../method.ts'
import { decodeBoolean } from '../parameters/go-json.ts'

export const newPendingTransactionFilter = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  cost: 5,
  parameters: [optionalParameter(decodeBoolean)],
  answer: ({ ask }) => ask('newPendingTransactionFilter', {}),
})

/** Those of the node's own accounts, as in geth: it has none. */
import { defineMethod } from '../method.ts'

export const pendingTransactions = defineMethod({
  name: 'eth_pendingTransactions',
  parameters: [],
  answer: () => '[]',
})

/** The node holds no keys. */
import { defineMethod } from '../method.ts'

export const accounts = defineMethod({
  name: 'eth_accounts',
  parameters: [],
  answer: () => '[]',
})

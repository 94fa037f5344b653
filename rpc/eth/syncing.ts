import { defineMethod } from '../method.ts'

export const syncing = defineMethod({
  name: 'eth_syncing',
  parameters: [],
  answer: ({ ask }) => ask('syncing', {}),
})

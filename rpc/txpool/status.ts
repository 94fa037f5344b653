import { defineMethod } from '../method.ts'

export const status = defineMethod({
  name: 'txpool_status',
  parameters: [],
  answer: ({ ask }) => ask('txpoolStatus', {}),
})

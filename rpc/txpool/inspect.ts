import { defineMethod } from '../method.ts'

export const inspect = defineMethod({
  name: 'txpool_inspect',
  cost: 50,
  parameters: [],
  answer: ({ ask }) => ask('txpoolInspect', {}),
})

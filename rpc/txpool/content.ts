import { defineMethod } from '../method.ts'

export const content = defineMethod({
  name: 'txpool_content',
  cost: 50,
  parameters: [],
  answer: ({ ask }) => ask('txpoolContent', {}),
})

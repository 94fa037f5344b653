import { defineMethod } from '../method.ts'

export const newBlockFilter = defineMethod({
  name: 'eth_newBlockFilter',
  cost: 5,
  parameters: [],
  answer: ({ ask }) => ask('newBlockFilter', {}),
})

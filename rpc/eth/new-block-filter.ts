import { defineClientMethod } from '../method.ts'

export const newBlockFilter = defineClientMethod({
  name: 'eth_newBlockFilter',
  cost: 5,
  parameters: [],
  answer: ({ ask }, client) => ask('newBlockFilter', { client }),
})

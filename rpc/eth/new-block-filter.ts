import { defineClientMethod } from '../method.ts'

export const newBlockFilter = defineClientMethod({
  name: 'eth_newBlockFilter',
  hasEffect: true,
  cost: 5,
  parameters: [],
  answer: ({ ask }, client) => ask('newBlockFilter', { client }),
})

import { defineMethod } from '../method.ts'

export const blockNumber = defineMethod({
  name: 'eth_blockNumber',
  parameters: [],
  answer: ({ head }) => head.current().blockNumber,
})

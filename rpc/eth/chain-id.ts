import { defineMethod } from '../method.ts'

export const chainId = defineMethod({
  name: 'eth_chainId',
  parameters: [],
  answer: ({ head }) => head.current().chainId,
})

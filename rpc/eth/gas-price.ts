import { defineMethod } from '../method.ts'

export const gasPrice = defineMethod({
  name: 'eth_gasPrice',
  parameters: [],
  answer: ({ ask }) => ask('gasPrice', {}),
})

import { defineMethod } from '../method.ts'

export const maxPriorityFeePerGas = defineMethod({
  name: 'eth_maxPriorityFeePerGas',
  parameters: [],
  answer: ({ ask }) => ask('maxPriorityFeePerGas', {}),
})

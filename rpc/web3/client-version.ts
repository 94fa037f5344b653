import { defineMethod } from '../method.ts'

export const clientVersion = defineMethod({
  name: 'web3_clientVersion',
  parameters: [],
  answer: ({ clientVersion }) => clientVersion,
})

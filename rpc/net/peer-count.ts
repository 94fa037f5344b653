import { defineMethod } from '../method.ts'

export const peerCount = defineMethod({
  name: 'net_peerCount',
  parameters: [],
  answer: ({ ask }) => ask('peerCount', {}),
})

import { defineMethod } from '../method.ts'

/** EIP-7910. */
export const config = defineMethod({
  name: 'eth_config',
  parameters: [],
  answer: ({ ask }) => ask('config', {}),
})

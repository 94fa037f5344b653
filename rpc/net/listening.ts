import { defineMethod } from '../method.ts'

export const listening = defineMethod({
  name: 'net_listening',
  parameters: [],
  answer: () => 'true',
})

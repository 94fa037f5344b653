import { defineMethod, required } from '../method.ts'
import { decodeData } from '../parameters/hex.ts'

export const sendRawTransaction = defineMethod({
  name: 'eth_sendRawTransaction',
  cost: 10,
  hasEffect: true,
  parameters: [required(decodeData)],
  answer: ({ ask }, raw) => ask('sendRawTransaction', { raw }),
})

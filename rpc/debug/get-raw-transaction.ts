import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getRawTransaction = defineMethod({
  name: 'debug_getRawTransaction',
  parameters: [required(decodeHash)],
  answer: ({ ask }, hash) => ask('rawTransaction', { hash }),
})

import { defineMethod, required } from '../method.ts'
import { decodeHash, decodeIndex } from '../parameters/hex.ts'

export const getRawTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  parameters: [required(decodeHash), required(decodeIndex)],
  answer: ({ ask }, hash, index) => ask('rawTransactionByIndex', { block: { hash }, index }),
})

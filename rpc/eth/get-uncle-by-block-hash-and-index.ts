import { defineMethod, required } from '../method.ts'
import { decodeHash, decodeIndex } from '../parameters/hex.ts'

export const getUncleByBlockHashAndIndex = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  parameters: [required(decodeHash), required(decodeIndex)],
  answer: () => 'null',
})

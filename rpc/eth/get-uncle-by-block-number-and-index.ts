import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeIndex } from '../parameters/hex.ts'

export const getUncleByBlockNumberAndIndex = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  parameters: [required(decodeBlockNumber), required(decodeIndex)],
  answer: () => 'null',
})

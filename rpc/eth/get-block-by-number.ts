import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeBoolean } from '../parameters/go-json.ts'

export const getBlockByNumber = defineMethod({
  name: 'eth_getBlockByNumber',
  cost: 5,
  parameters: [required(decodeBlockNumber), required(decodeBoolean)],
  answer: ({ askText }, block, full) => askText('block', { block, full }),
})

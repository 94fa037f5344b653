import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { decodeAddress } from '../parameters/hex.ts'

export const getTransactionCount = defineMethod({
  name: 'eth_getTransactionCount',
  parameters: [required(decodeAddress), required(decodeBlockReference)],
  answer: ({ ask }, address, block) => ask('transactionCount', { address, block: requireBlock(block) }),
})

/** A chain without blobs has the least fee that EIP-4844 allows. */
import { defineMethod } from '../method.ts'

export const blobBaseFee = defineMethod({
  name: 'eth_blobBaseFee',
  parameters: [],
  answer: () => '"0x1"',
})

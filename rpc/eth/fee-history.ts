import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeCount } from '../parameters/count.ts'
import { arrayDecoder, decodeFloat } from '../parameters/go-json.ts'

export const feeHistory = defineMethod({
  name: 'eth_feeHistory',
  cost: 20,
  parameters: [required(decodeCount), required(decodeBlockNumber), required(arrayDecoder('[]float64', decodeFloat))],
  answer: ({ ask }, count, newest, percentiles) => ask('feeHistory', { count, newest, percentiles }),
})

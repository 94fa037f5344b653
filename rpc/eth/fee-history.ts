import { MAX_FEE_PERCENTILES } from '../../core/limits.ts'
import { rpcError } from '../errors.ts'
import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeCount } from '../parameters/count.ts'
import { arrayDecoder, decodeFloat } from '../parameters/go-json.ts'

export const feeHistory = defineMethod({
  name: 'eth_feeHistory',
  cost: 20,
  readsDigits: true,
  parameters: [required(decodeCount), required(decodeBlockNumber), required(arrayDecoder('[]float64', decodeFloat))],
  answer: ({ ask }, count, newest, percentiles) => {
    // Said here: thousands of them would be carried to a worker for it.
    if (count >= 1 && percentiles.length > MAX_FEE_PERCENTILES) {
      throw rpcError('failed', `invalid reward percentile: over the query limit ${MAX_FEE_PERCENTILES}`)
    }
    return ask('feeHistory', { count, newest, percentiles })
  },
})

import { rpcError } from '../errors.ts'
import { defineMethod, required } from '../method.ts'
import { LATEST } from '../parameters/block.ts'
import { decodeCall, passCall } from '../parameters/transaction-arguments.ts'

export const fillTransaction = defineMethod({
  name: 'eth_fillTransaction',
  cost: 50,
  parameters: [required(decodeCall)],
  answer: ({ ask }, call) => {
    // The chain takes no blobs; these are geth's words where it does not either.
    if (call.blobs !== undefined) throw rpcError('failed', '"blobs" is not supported for this RPC method')
    const { data, input = data } = call
    const inputDiffers = data !== undefined && data !== input
    return ask('fillTransaction', { call: passCall(call), block: LATEST, inputDiffers })
  },
})

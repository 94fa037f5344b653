import { defineMethod } from '../method.ts'
import { callParameters, readCall } from '../parameters/call-parameters.ts'

export const estimateGas = defineMethod({
  name: 'eth_estimateGas',
  cost: 50,
  parameters: callParameters,
  answer: ({ ask }, call, block, stateOverrides, blockOverrides) =>
    ask('estimateGas', readCall(call, block, stateOverrides, blockOverrides)),
})

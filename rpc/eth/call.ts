import { defineMethod } from '../method.ts'
import { callParameters, readCall } from '../parameters/call-parameters.ts'

export const call = defineMethod({
  name: 'eth_call',
  cost: 20,
  parameters: callParameters,
  answer: ({ ask }, call, block, stateOverrides, blockOverrides) =>
    ask('call', readCall(call, block, stateOverrides, blockOverrides)),
})

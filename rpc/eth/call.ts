import { defineMethod } from '../method.ts'
import { askAtBlock, callParameters } from '../parameters/call-parameters.ts'

export const call = defineMethod({
  name: 'eth_call',
  cost: 20,
  parameters: callParameters,
  answer: (context, ...values) => askAtBlock(context, 'call', values),
})

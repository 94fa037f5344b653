import { defineMethod } from '../method.ts'
import { askAtBlock, callParameters } from '../parameters/call-parameters.ts'

export const estimateGas = defineMethod({
  name: 'eth_estimateGas',
  cost: 50,
  parameters: callParameters,
  answer: (context, ...values) => askAtBlock(context, 'estimateGas', values),
})

import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeBlockReference, LATEST, requireBlock } from '../parameters/block.ts'
import { decodeCall, passCall } from '../parameters/transaction-arguments.ts'
import { judgeAtBlock } from '../parameters/judge-at-block.ts'
import { decodeStateOverrides, toStateOverrides } from '../parameters/overrides.ts'

export const createAccessList = defineMethod({
  name: 'eth_createAccessList',
  cost: 50,
  parameters: [required(decodeCall), optionalParameter(decodeBlockReference), optionalParameter(decodeStateOverrides)],
  answer: (context, call, reference = LATEST, overrides) => {
    const block = requireBlock(reference)
    return judgeAtBlock(context, block, () => {
      const stateOverrides = overrides === undefined ? {} : { stateOverrides: toStateOverrides(overrides) }
      return context.ask('createAccessList', { block, ...stateOverrides, call: passCall(call) })
    })
  },
})

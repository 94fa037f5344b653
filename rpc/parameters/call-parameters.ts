/** The parameters that eth_call and eth_estimateGas have in common. */
import { optionalParameter, required, type Answer, type CallContext, type ValuesOf } from '../method.ts'
import { decodeBlockReference, LATEST, requireBlock } from './block.ts'
import { decodeCall, toCallRequest } from './transaction-arguments.ts'
import { judgeAtBlock } from './judge-at-block.ts'
import { decodeBlockOverrides, decodeStateOverrides, toBlockOverrides, toStateOverrides } from './overrides.ts'

export const callParameters = [
  required(decodeCall),
  optionalParameter(decodeBlockReference),
  optionalParameter(decodeStateOverrides),
  optionalParameter(decodeBlockOverrides),
] as const

type CallValues = ValuesOf<typeof callParameters>

/** Asks `name` once the block is known; refuses with rpc/failed what geth refuses then, in its order. */
export const askAtBlock = (
  context: CallContext,
  name: 'call' | 'estimateGas',
  [call, reference = LATEST, stateOverrides, blockOverrides]: CallValues,
): Answer => {
  const block = requireBlock(reference)
  return judgeAtBlock(context, block, () =>
    context.ask(name, {
      block,
      ...(blockOverrides === undefined ? {} : { blockOverrides: toBlockOverrides(blockOverrides) }),
      ...(stateOverrides === undefined ? {} : { stateOverrides: toStateOverrides(stateOverrides) }),
      call: toCallRequest(call),
    }),
  )
}

import type { Questions } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { type CallArguments, decodeCall, toCallRequest } from '../parameters/transaction-arguments.ts'
import { toBlockOverrides, toStateOverrides } from '../parameters/overrides.ts'
import { decodeTraceCallConfig, toTraceOptions, type TraceCallConfig } from '../parameters/trace-config.ts'

type Scene = Pick<Questions['traceCall'], 'call' | 'stateOverrides' | 'blockOverrides' | 'refused'>

/** geth judges these when it has found the state. */
const readScene = (call: CallArguments, { blockOverrides, stateOverrides }: TraceCallConfig): Scene => {
  try {
    return {
      ...(blockOverrides === undefined ? {} : { blockOverrides: toBlockOverrides(blockOverrides) }),
      ...(stateOverrides === undefined ? {} : { stateOverrides: toStateOverrides(stateOverrides) }),
      call: toCallRequest(call),
    }
  } catch (error) {
    if (error instanceof CodedError) return { call: {}, refused: error.message }
    throw error
  }
}

export const traceCall = defineMethod({
  name: 'debug_traceCall',
  cost: 100,
  readsDigits: true,
  parameters: [required(decodeCall), required(decodeBlockReference), optionalParameter(decodeTraceCallConfig)],
  answer: ({ askText }, call, reference, config = {}) =>
    askText('traceCall', {
      block: requireBlock(reference),
      options: toTraceOptions(config),
      ...(config.txIndex === undefined ? {} : { txIndex: config.txIndex }),
      ...readScene(call, config),
    }),
})

import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeTraceConfig, toTraceOptions } from '../parameters/trace-config.ts'

export const traceBlockByNumber = defineMethod({
  name: 'debug_traceBlockByNumber',
  cost: 200,
  readsDigits: true,
  parameters: [required(decodeBlockNumber), optionalParameter(decodeTraceConfig)],
  answer: ({ askText }, block, config) => askText('traceBlock', { block, options: toTraceOptions(config) }),
})

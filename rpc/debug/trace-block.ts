import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeData } from '../parameters/hex.ts'
import { decodeTraceConfig, toTraceOptions } from '../parameters/trace-config.ts'

export const traceBlock = defineMethod({
  name: 'debug_traceBlock',
  cost: 200,
  readsDigits: true,
  parameters: [required(decodeData), optionalParameter(decodeTraceConfig)],
  answer: ({ askText }, raw, config) => askText('traceRawBlock', { raw, options: toTraceOptions(config) }),
})

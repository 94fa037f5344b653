import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'
import { decodeTraceConfig, toTraceOptions } from '../parameters/trace-config.ts'

export const traceTransaction = defineMethod({
  name: 'debug_traceTransaction',
  cost: 100,
  parameters: [required(decodeHash), optionalParameter(decodeTraceConfig)],
  answer: ({ ask }, hash, config) => ask('traceTransaction', { hash, options: toTraceOptions(config) }),
})

import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'
import { decodeTraceConfig, toTraceOptions } from '../parameters/trace-config.ts'

export const traceTransaction = defineMethod({
  name: 'debug_traceTransaction',
  cost: 100,
  readsDigits: true,
  parameters: [required(decodeHash), optionalParameter(decodeTraceConfig)],
  answer: ({ askText }, hash, config) => askText('traceTransaction', { hash, options: toTraceOptions(config) }),
})

import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'
import { decodeTraceConfig, toTraceOptions } from '../parameters/trace-config.ts'

export const traceBlockByHash = defineMethod({
  name: 'debug_traceBlockByHash',
  cost: 200,
  readsDigits: true,
  parameters: [required(decodeHash), optionalParameter(decodeTraceConfig)],
  answer: ({ askText }, hash, config) => askText('traceBlock', { block: { hash }, options: toTraceOptions(config) }),
})

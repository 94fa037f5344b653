import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'
import { decodeTraceConfig } from '../parameters/trace-config.ts'

/** Geth uses from the configuration how far it may execute again, which is never needed here. */
export const intermediateRoots = defineMethod({
  name: 'debug_intermediateRoots',
  cost: 200,
  readsDigits: true,
  parameters: [required(decodeHash), optionalParameter(decodeTraceConfig)],
  answer: ({ ask }, hash) => ask('intermediateRoots', { hash }),
})

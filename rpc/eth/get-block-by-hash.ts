/** The flag may be left out, for the interface (4.1) gives this method the hash alone; geth requires it. */
import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeBoolean } from '../parameters/go-json.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getBlockByHash = defineMethod({
  name: 'eth_getBlockByHash',
  cost: 5,
  parameters: [required(decodeHash), optionalParameter(decodeBoolean)],
  answer: ({ askText }, hash, full) => askText('block', { block: { hash }, full: full ?? false }),
})

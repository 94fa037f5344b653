import { rpcError } from '../errors.ts'
import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, NO_BLOCK } from '../parameters/block.ts'
import { decodeBoolean, decodeInt } from '../parameters/go-json.ts'
import { decodeData } from '../parameters/hex.ts'

/** Every address is known here, so that the last parameter, whether those that are not may be shown, changes nothing. */
export const accountRange = defineMethod({
  name: 'debug_accountRange',
  cost: 100,
  readsDigits: true,
  parameters: [
    required(decodeBlockReference),
    required(decodeData),
    required(decodeInt),
    required(decodeBoolean),
    required(decodeBoolean),
    required(decodeBoolean),
  ],
  answer: ({ ask }, block, start, most, withoutCode, withoutStorage) => {
    if (block === NO_BLOCK) throw rpcError('failed', 'either block number or block hash must be specified')
    return ask('accountRange', { block, start, most, withCode: !withoutCode, withStorage: !withoutStorage })
  },
})

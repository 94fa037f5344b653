import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getModifiedAccountsByHash = defineMethod({
  name: 'debug_getModifiedAccountsByHash',
  cost: 100,
  parameters: [required(decodeHash), optionalParameter(decodeHash)],
  answer: ({ ask }, first, last) =>
    ask('modifiedAccounts', { first: { hash: first }, ...(last === undefined ? {} : { last: { hash: last } }) }),
})

import { defineMethod, optionalParameter, required } from '../method.ts'
import { decodeUint64Number } from '../parameters/go-json.ts'

export const getModifiedAccountsByNumber = defineMethod({
  name: 'debug_getModifiedAccountsByNumber',
  cost: 100,
  readsDigits: true,
  parameters: [required(decodeUint64Number), optionalParameter(decodeUint64Number)],
  answer: ({ ask }, first, last) =>
    ask('modifiedAccounts', { first: { number: first }, ...(last === undefined ? {} : { last: { number: last } }) }),
})

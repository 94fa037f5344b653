import { defineMethod, required } from '../method.ts'
import { decodeFilterId } from '../parameters/filter-id.ts'

export const getFilterChanges = defineMethod({
  name: 'eth_getFilterChanges',
  hasEffect: true,
  cost: 5,
  parameters: [required(decodeFilterId)],
  answer: ({ ask }, id) => ask('filterChanges', { id }),
})

import { defineMethod, required } from '../method.ts'
import { decodeFilterId } from '../parameters/filter-id.ts'

export const getFilterLogs = defineMethod({
  name: 'eth_getFilterLogs',
  cost: 50,
  parameters: [required(decodeFilterId)],
  answer: ({ ask }, id) => ask('filterLogs', { id }),
})

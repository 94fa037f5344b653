import { defineMethod, required } from '../method.ts'
import { decodeFilterId } from '../parameters/filter-id.ts'

export const uninstallFilter = defineMethod({
  name: 'eth_uninstallFilter',
  hasEffect: true,
  parameters: [required(decodeFilterId)],
  answer: ({ ask }, id) => ask('uninstallFilter', { id }),
})

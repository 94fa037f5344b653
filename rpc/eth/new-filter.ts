import { defineMethod, required } from '../method.ts'
import { checkCriteriaSize, decodeCriteria } from '../parameters/criteria.ts'

export const newFilter = defineMethod({
  name: 'eth_newFilter',
  cost: 5,
  parameters: [required(decodeCriteria)],
  answer: ({ ask }, criteria) => ask('newFilter', checkCriteriaSize(criteria)),
})

import { defineClientMethod, required } from '../method.ts'
import { checkCriteriaSize, decodeCriteria } from '../parameters/criteria.ts'

export const newFilter = defineClientMethod({
  name: 'eth_newFilter',
  hasEffect: true,
  cost: 5,
  parameters: [required(decodeCriteria)],
  answer: ({ ask }, client, criteria) => ask('newFilter', { criteria: checkCriteriaSize(criteria), client }),
})
